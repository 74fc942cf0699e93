package io.gator.routing;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.ClassUtils;

/**
 * One argument of a job, with a prepared writer and reader for it.
 */
final class Argument {

	private final int index;

	private final @Nullable String name;

	private final JavaType type;

	private final Class<?> boxed;

	private final boolean nullable;

	private final Kind kind;

	private final JavaType written;

	private final ObjectWriter writer;

	private final ObjectReader reader;

	/**
	 * Prepare an argument.
	 * @param mapper Gator's mapper
	 * @param index its position, from 0
	 * @param name the name of the parameter, if it is known
	 * @param type its type
	 * @param nullable whether it may be {@code null}
	 */
	Argument(JsonMapper mapper, int index, @Nullable String name, JavaType type, boolean nullable) {
		this.index = index;
		this.name = name;
		this.type = type;
		this.boxed = ClassUtils.resolvePrimitiveIfNecessary(type.getRawClass());
		this.nullable = nullable && !type.isPrimitive();
		this.kind = Kind.of(mapper, type, this.boxed);
		// Declared as Serializable, a value would be written with the properties of that
		// interface, which has none.
		this.written = type.hasRawClass(Serializable.class) ? mapper.constructType(Object.class) : type;
		this.writer = mapper.writerFor(this.written);
		this.reader = mapper.readerFor(type);
	}

	/**
	 * Prepare an argument of which only the position is known, for writing.
	 * @param mapper Gator's mapper
	 * @param index its position, from 0
	 * @param writer a writer for any type
	 */
	Argument(JsonMapper mapper, int index, ObjectWriter writer) {
		this.index = index;
		this.name = null;
		this.type = mapper.constructType(Object.class);
		this.boxed = Object.class;
		this.nullable = true;
		this.kind = Kind.OTHER;
		this.written = this.type;
		this.writer = writer;
		this.reader = mapper.readerFor(this.type);
	}

	JavaType type() {
		return this.type;
	}

	Kind kind() {
		return this.kind;
	}

	/**
	 * Convert a value to this type, as a call in Java would.
	 * @param value the value
	 * @return the value, widened where it is a number
	 * @throws MisfitException if it is of another type
	 */
	@Nullable Object fit(@Nullable Object value) {
		if (value == null) {
			if (!this.nullable) {
				throw new MisfitException(this + " takes " + typeName() + ", which cannot be null");
			}
			return null;
		}
		if (this.boxed.isInstance(value)) {
			return value;
		}
		Object widened = Widening.widen(value, this.boxed);
		if (widened == null) {
			throw new MisfitException(
					this + " takes " + typeName() + ", not " + ClassUtils.getQualifiedName(value.getClass()));
		}
		return widened;
	}

	/**
	 * Tell whether a value is of this type, or can be widened to it.
	 * @param value the value
	 * @return whether {@link #fit} takes it
	 */
	boolean takes(Object value) {
		return this.boxed.isInstance(value) || Widening.widen(value, this.boxed) != null;
	}

	void write(JsonGenerator generator, @Nullable Object value) {
		if (value == null) {
			generator.writeNull();
			return;
		}
		switch (this.kind) {
			case INT -> generator.writeNumber((int) value);
			case LONG -> generator.writeNumber((long) value);
			case BOOLEAN -> generator.writeBoolean((boolean) value);
			case STRING -> generator.writeString((String) value);
			case OTHER -> this.writer.writeValue(generator, value);
		}
	}

	/**
	 * Say why it could not be written.
	 * @param failure what was thrown
	 * @return what to throw
	 */
	MisfitException unwritable(Throwable failure) {
		// What a container holds has not been checked: it may not be what is declared.
		String declared = this.type.hasGenericTypes() ? ", declared as " + typeName() + "," : "";
		return MisfitException.of(this + declared + " cannot be written as JSON", failure);
	}

	/**
	 * Write a value in a way that does not depend on the order of maps and sets.
	 * @param value the value
	 * @param json writes what is more than a number, a truth value or a text
	 * @return JSON
	 */
	String canonical(@Nullable Object value, CanonicalJson json) {
		try {
			return (this.kind != Kind.OTHER) ? this.writer.writeValueAsString(value) : json.write(this.written, value);
		}
		catch (Throwable ex) {
			MachineErrors.rethrow(ex);
			throw MisfitException.of(this + " cannot be part of a unique key", ex);
		}
	}

	@Nullable Object read(JsonParser parser, @Nullable JsonToken token) {
		if (token == JsonToken.VALUE_NULL && !this.nullable) {
			throw new MisfitException(this + " takes " + typeName() + ", which cannot be null");
		}
		if (this.kind == Kind.LONG && token == JsonToken.VALUE_NUMBER_INT) {
			return parser.getLongValue();
		}
		if (this.kind == Kind.INT && token == JsonToken.VALUE_NUMBER_INT) {
			return parser.getIntValue();
		}
		if (this.kind == Kind.STRING && token == JsonToken.VALUE_STRING) {
			return parser.getString();
		}
		if (this.kind == Kind.BOOLEAN && (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE)) {
			return token == JsonToken.VALUE_TRUE;
		}
		return this.reader.readValue(parser);
	}

	/**
	 * Refuse a value that came back as something else.
	 * @param value what was written
	 * @param read what was read
	 * @throws MisfitException if the handler would not get what was given
	 */
	void compare(@Nullable Object value, @Nullable Object read) {
		if (value != null && read == null && !isEmpty(value)) {
			throw new MisfitException(this + " comes back from JSON as null");
		}
		// Not so within a container of objects, which is declared for untyped elements.
		if (value != null && !isContainer(value) && (read instanceof Map || read instanceof List)) {
			throw changed(value, read);
		}
		requireUnsliced(value, read);
	}

	private void requireUnsliced(@Nullable Object value, @Nullable Object read) {
		if (value instanceof Collection<?> given && read instanceof List<?> back && given.size() == back.size()) {
			Iterator<?> others = back.iterator();
			given.forEach((element) -> requireUnsliced(element, others.next()));
		}
		else if (value instanceof Map<?, ?> given && read instanceof HashMap<?, ?> back) {
			given.forEach((key, element) -> requireUnsliced(element, back.get(key)));
		}
		else if (value instanceof Object[] given && read instanceof Object[] back) {
			requireUnsliced(Arrays.asList(given), Arrays.asList(back));
		}
		else if (value != null && read != null && !isContainer(value) && isSliced(value, read)) {
			throw changed(value, read);
		}
	}

	private MisfitException changed(Object value, Object read) {
		return new MisfitException(this + " is of " + value.getClass().getName() + " and comes back from JSON as "
				+ read.getClass().getName()
				+ "; declare the parameter with the type that is given, or annotate that with @JsonTypeInfo");
	}

	private static boolean isContainer(Object value) {
		return value instanceof Collection || value instanceof Map || value.getClass().isArray();
	}

	private static boolean isSliced(Object value, Object read) {
		return value.getClass() != read.getClass() && read.getClass().isInstance(value)
				&& !value.getClass().getName().startsWith("java.");
	}

	/**
	 * Tell whether a value of another type may be given for this argument.
	 * @param other the type
	 * @return {@code false} if it certainly does not fit
	 */
	boolean mayTake(JavaType other) {
		Class<?> given = ClassUtils.resolvePrimitiveIfNecessary(other.getRawClass());
		return given.isAssignableFrom(this.boxed) || this.boxed.isAssignableFrom(given)
				|| Widening.isPossible(given, this.boxed);
	}

	/**
	 * Tell whether the JSON of a value of another type may be read as this argument.
	 * @param other the type
	 * @return {@code false} if it certainly cannot, or only by chance
	 */
	boolean mayRead(JavaType other) {
		// Numbers, dates and the like can also be read as text, as they stand in JSON.
		return mayTake(other) || this.boxed == String.class && ClassUtils.isSimpleValueType(other.getRawClass());
	}

	String typeName() {
		return nameOf(this.type);
	}

	/**
	 * The name of a type as it stands in source, also of an array.
	 * @param type the type
	 * @return its name
	 */
	static String nameOf(JavaType type) {
		return type.isArrayType() ? nameOf(type.getContentType()) + "[]" : type.toCanonical();
	}

	@Override
	public String toString() {
		return (this.name != null) ? "argument " + this.index + " (" + this.name + ")" : "argument " + this.index;
	}

	private static boolean isEmpty(Object value) {
		return value instanceof Optional<?> || value instanceof JsonNode;
	}

	/**
	 * The types that need no serializer, unless a customizer has added one, and all other
	 * types.
	 */
	enum Kind {

		INT, LONG, BOOLEAN, STRING, OTHER;

		static Kind of(JsonMapper mapper, JavaType type, Class<?> boxed) {
			Kind kind = (boxed == Integer.class) ? INT : (boxed == Long.class) ? LONG
					: (boxed == Boolean.class) ? BOOLEAN : (boxed == String.class) ? STRING : OTHER;
			return (kind == OTHER || isCustomized(mapper, type)) ? OTHER : kind;
		}

		// By what Jackson itself takes: a customizer may also choose another part of
		// Jackson, such as one that writes numbers as texts.
		private static boolean isCustomized(JsonMapper mapper, JavaType type) {
			return !parts(mapper, type).equals(parts(JsonMapper.shared(), type));
		}

		private static List<Class<?>> parts(JsonMapper mapper, JavaType type) {
			return List.of(mapper._serializationContext().findRootValueSerializer(type).getClass(),
					mapper._deserializationContext().findRootValueDeserializer(type).getClass());
		}

	}

}
