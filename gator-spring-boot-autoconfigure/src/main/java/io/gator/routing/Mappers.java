package io.gator.routing;

import java.util.List;

import io.gator.GatorJsonCustomizer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.Version;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.deser.Deserializers;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

/**
 * Makes the mapper for arguments and results.
 */
final class Mappers {

	private static final String KOTLIN_MODULE = "tools.jackson.module.kotlin.KotlinModule";

	private static final PolymorphicTypeValidator NO_CLASS_NAMES = new NoClassNames();

	private Mappers() {
	}

	static JsonMapper create(List<GatorJsonCustomizer> customizers) {
		// How large arguments may be is for gator.max-payload to say.
		JsonMapper.Builder builder = JsonMapper.builder(JsonFactory.builder()
			.streamReadConstraints(
					StreamReadConstraints.defaults().rebuild().maxStringLength(Integer.MAX_VALUE).build())
			.build());
		setDefaults(builder);
		customizers.forEach((customizer) -> customizer.customize(builder));
		setFixed(builder);
		JsonMapper mapper = builder.build();
		refuseDefaultTyping(mapper);
		return mapper;
	}

	/**
	 * Sets what customizers may change. A module of theirs may read classes in a way of
	 * its own, such as by a list of those it knows.
	 */
	private static void setDefaults(JsonMapper.Builder builder) {
		// A time must come back as it was, with its zone, offset and nanoseconds.
		builder.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
			.disable(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
			.disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
			.enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID);
		// toString() is for people and may change.
		builder.disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING).disable(EnumFeature.READ_ENUMS_USING_TO_STRING);
		// Rows are also read by the next version of the application, and by the one
		// before.
		builder.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
		// An amount must not lose its cents where the type of a parameter has changed.
		builder.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);
		builder.addModule(new NoClasses());
		addKotlin(builder);
	}

	/**
	 * Sets what no customizer may change: rows must hold JSON that PostgreSQL accepts.
	 */
	private static void setFixed(JsonMapper.Builder builder) {
		builder.enable(JsonWriteFeature.QUOTE_PROPERTY_NAMES)
			.enable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
			.disable(JsonWriteFeature.ESCAPE_NON_ASCII)
			.disable(StreamWriteFeature.IGNORE_UNKNOWN)
			.disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
			.disable(SerializationFeature.INDENT_OUTPUT)
			.disable(SerializationFeature.WRAP_ROOT_VALUE)
			.disable(DeserializationFeature.UNWRAP_ROOT_VALUE)
			// An argument is written and read as one value among others in an array.
			.disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
			.disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.polymorphicTypeValidator(NO_CLASS_NAMES);
	}

	/**
	 * Checks the mapper, and not what customizers set, because modules may switch it on,
	 * too.
	 */
	private static void refuseDefaultTyping(JsonMapper mapper) {
		JavaType any = mapper.constructType(Object.class);
		if (mapper.serializationConfig().getDefaultTyper(any) != null
				|| mapper.deserializationConfig().getDefaultTyper(any) != null
				|| mapper.deserializationConfig().getPolymorphicTypeValidator() != NO_CLASS_NAMES) {
			throw new InvalidJobException(
					"A GatorJsonCustomizer switches on polymorphic default typing, which would let a row choose "
							+ "the classes that are created from it.",
					"Leave default typing off, and annotate polymorphic types with @JsonTypeInfo(use = Id.NAME) and "
							+ "@JsonSubTypes.");
		}
	}

	/**
	 * As Boot does for the application's mapper. Without this module, {@code isPaid} of a
	 * data class is written as {@code paid} and not read back: it arrives as
	 * {@code false}.
	 */
	private static void addKotlin(JsonMapper.Builder builder) {
		ClassLoader loader = Mappers.class.getClassLoader();
		if (ClassUtils.isPresent(KOTLIN_MODULE, loader)) {
			Class<?> module = ClassUtils.resolveClassName(KOTLIN_MODULE, loader);
			builder.addModule((JacksonModule) BeanUtils.instantiateClass(module));
		}
	}

	/**
	 * Refuses {@code @JsonTypeInfo} by class name. Other kinds of type ids are names that
	 * annotations map to classes: the JSON never names a class.
	 */
	private static final class NoClassNames extends PolymorphicTypeValidator {

		private static final long serialVersionUID = 1L;

		@Override
		public Validity validateBaseType(DatabindContext context, JavaType baseType) {
			return Validity.DENIED;
		}

		@Override
		public Validity validateSubClassName(DatabindContext context, JavaType baseType, String subClassName) {
			return Validity.DENIED;
		}

		@Override
		public Validity validateSubType(DatabindContext context, JavaType baseType, JavaType subType) {
			return Validity.DENIED;
		}

	}

	/**
	 * Refuses types that are read by loading a class by its name. Reading one also runs
	 * the static initializer of that class.
	 */
	private static final class NoClasses extends JacksonModule {

		@Override
		public String getModuleName() {
			return "gator-no-classes";
		}

		@Override
		public Version version() {
			return Version.unknownVersion();
		}

		@Override
		public void setupModule(SetupContext context) {
			context.addDeserializers(new Deserializers.Base() {

				@Override
				public @Nullable ValueDeserializer<?> findBeanDeserializer(JavaType type, DeserializationConfig config,
						BeanDescription.Supplier description) {
					refuse(type);
					return null;
				}

				@Override
				public boolean hasDeserializerFor(DeserializationConfig config, Class<?> type) {
					return false;
				}

			});
			context.addKeyDeserializers((type, config, description) -> {
				refuse(type);
				return null;
			});
		}

		private static void refuse(JavaType type) {
			if (type.hasRawClass(Class.class) || type.hasRawClass(JavaType.class)) {
				throw InvalidDefinitionException.from((JsonParser) null,
						"a row would choose the class that " + type.getRawClass().getName() + " stands for", type);
			}
		}

	}

}
