package io.gator.routing;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.util.TokenBuffer;

/**
 * Writes equal values as equal JSON, for keys: properties and the elements of sets are
 * sorted, wherever they are in a value. Hash sets and hash maps keep no order, so without
 * sorting two equal ones may be written in two ways. This JSON is never stored as an
 * argument.
 */
final class CanonicalJson {

	/** Keeps all digits of numbers: values that differ must not become the same. */
	private static final JsonMapper TREES = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
		.build();

	private final JsonMapper mapper;

	CanonicalJson(JsonMapper mapper) {
		SimpleModule sets = new SimpleModule("gator-sorted-sets");
		sets.setSerializerModifier(new SetModifier());
		this.mapper = mapper.rebuild().addModule(sets).build();
	}

	/**
	 * Write a value.
	 * @param type the type by which it is written
	 * @param value the value
	 * @return JSON
	 */
	String write(JavaType type, @Nullable Object value) {
		return sorted(TREES.readTree(this.mapper.writerFor(type).writeValueAsString(value))).toString();
	}

	private static JsonNode sorted(JsonNode node) {
		if (node instanceof ObjectNode object) {
			Map<String, JsonNode> properties = new TreeMap<>();
			object.forEachEntry((name, value) -> properties.put(name, sorted(value)));
			return JsonNodeFactory.instance.objectNode().setAll(properties);
		}
		if (node instanceof ArrayNode array) {
			return JsonNodeFactory.instance.arrayNode().addAll(array.valueStream().map(CanonicalJson::sorted).toList());
		}
		return node;
	}

	/**
	 * Wraps the serializers of collections, because only they still see that an array is
	 * a set.
	 */
	private static final class SetModifier extends ValueSerializerModifier {

		private static final long serialVersionUID = 1L;

		@Override
		@SuppressWarnings("unchecked")
		public ValueSerializer<?> modifyCollectionSerializer(SerializationConfig config, CollectionType type,
				BeanDescription.Supplier description, ValueSerializer<?> serializer) {
			return new SetSerializer((ValueSerializer<Object>) serializer);
		}

	}

	/**
	 * Sorts what another serializer writes, if the value is a set. A value whose declared
	 * type is a collection may be a set.
	 */
	private static final class SetSerializer extends ValueSerializer<Object> {

		private final ValueSerializer<Object> target;

		SetSerializer(ValueSerializer<Object> target) {
			this.target = target;
		}

		@Override
		public void resolve(SerializationContext context) {
			this.target.resolve(context);
		}

		@Override
		@SuppressWarnings("unchecked")
		public ValueSerializer<?> createContextual(SerializationContext context, BeanProperty property) {
			return new SetSerializer((ValueSerializer<Object>) this.target.createContextual(context, property));
		}

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			if (!(value instanceof Set)) {
				this.target.serialize(value, generator, context);
				return;
			}
			try (TokenBuffer buffer = context.bufferForValueConversion()) {
				this.target.serialize(value, buffer, context);
				JsonNode written = TREES.readTree(buffer.asParser());
				generator.writeStartArray();
				written.valueStream()
					.map(CanonicalJson::sorted)
					.sorted(Comparator.comparing(JsonNode::toString))
					.forEachOrdered(generator::writeTree);
				generator.writeEndArray();
			}
		}

		@Override
		public void serializeWithType(Object value, JsonGenerator generator, SerializationContext context,
				TypeSerializer type) {
			this.target.serializeWithType(value, generator, context, type);
		}

		@Override
		public boolean isEmpty(SerializationContext context, Object value) {
			return ((Collection<?>) value).isEmpty();
		}

	}

}
