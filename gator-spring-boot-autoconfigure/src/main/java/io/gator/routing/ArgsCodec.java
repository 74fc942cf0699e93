package io.gator.routing;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import io.gator.GatorJsonCustomizer;
import io.gator.JobDispatchException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.type.TypeBindings;

/**
 * Writes the arguments and results of jobs as JSON and reads them, by the types of the
 * handlers' parameters. Thread-safe. No exception of this class holds a value of an
 * argument or a result.
 */
public final class ArgsCodec {

	private static final Logger logger = LoggerFactory.getLogger(ArgsCodec.class);

	private static final int MAX_KEY = 512;

	private final JsonMapper mapper;

	private final ObjectWriter untyped;

	private final CanonicalJson canonical;

	private final int maxPayload;

	/**
	 * Create a codec with a mapper of its own.
	 * @param customizers what to add to the mapper
	 * @param maxPayload the most bytes that the arguments of one job may take, in UTF-8
	 * @throws InvalidJobException if a customizer switches on default typing
	 */
	public ArgsCodec(List<GatorJsonCustomizer> customizers, int maxPayload) {
		this.mapper = Mappers.create(customizers);
		this.untyped = this.mapper.writer().with(SerializationFeature.FAIL_ON_EMPTY_BEANS);
		this.canonical = new CanonicalJson(this.mapper);
		this.maxPayload = maxPayload;
	}

	/**
	 * Check arguments against a handler, write them and make sure that they can be read
	 * back.
	 * @param route the job
	 * @param args the arguments as passed to a variable-arity method
	 * @return a JSON array
	 * @throws JobDispatchException if the handler would not take them
	 */
	public String encode(Route route, @Nullable Object @Nullable [] args) {
		try {
			return route.arguments().encode(args);
		}
		catch (MisfitException ex) {
			throw refused(route.name(), ex);
		}
	}

	/**
	 * Write arguments for a handler that is not known here.
	 * @param name the name of the job
	 * @param args the arguments as passed to a variable-arity method
	 * @return a JSON array
	 * @throws JobDispatchException if they cannot be written
	 */
	public String encode(String name, @Nullable Object @Nullable [] args) {
		return encode(name, this.untyped, (args != null) ? args : new @Nullable Object[] { null });
	}

	/**
	 * Write the result of a job as the argument of the next job of a chain, whose handler
	 * is not known here.
	 * @param next the name of the next job
	 * @param route the job that returned it
	 * @param result the result
	 * @return a JSON array
	 * @throws JobDispatchException if it cannot be written
	 */
	public String encodeNext(String next, Route route, Object result) {
		return encode(next, resultWriter(route, result), new @Nullable Object[] { result });
	}

	private String encode(String name, ObjectWriter writer, @Nullable Object[] values) {
		List<Argument> each = new ArrayList<>(values.length);
		for (int i = 0; i < values.length; i++) {
			each.add(new Argument(this.mapper, i, writer));
		}
		try {
			return new Arguments(this.mapper, each, this.maxPayload).write(values);
		}
		catch (MisfitException ex) {
			throw refused(name, ex);
		}
	}

	/**
	 * Read the arguments in a row. A buffered job has one argument, the item.
	 * @param route the job
	 * @param json the JSON array
	 * @return the arguments for {@link Route#invoke}
	 * @throws UnreadableArgumentsException if they do not fit the handler
	 */
	public @Nullable Object[] decode(Route route, String json) {
		try {
			return route.arguments().decode(json);
		}
		catch (MisfitException ex) {
			throw new UnreadableArgumentsException(
					"The arguments of job '" + route.name() + "' do not fit its handler: " + ex.getMessage(),
					ex.getCause());
		}
	}

	/**
	 * Make the unique key of a dispatch.
	 * @param route the job
	 * @param args the arguments, which {@link #encode(Route, Object[])} has accepted
	 * @return the key, or {@code null} if the job is not unique by its arguments
	 */
	public @Nullable String uniqueKey(Route route, @Nullable Object @Nullable [] args) {
		UniqueSpec unique = route.unique();
		if (unique == null) {
			return null;
		}
		try {
			return route.name() + ':' + route.arguments().fingerprint(args, unique.args(), this.canonical);
		}
		catch (MisfitException ex) {
			throw refused(route.name(), ex);
		}
	}

	/**
	 * Find the key by which items of a buffered job are kept apart.
	 * @param route the job
	 * @param json its encoded arguments
	 * @return the key, or {@code null} if the job has none or the item has no value there
	 * @throws JobDispatchException if the value cannot be a key
	 */
	public @Nullable String batchKey(Route route, String json) {
		BufferSpec buffered = route.buffered();
		String property = (buffered != null) ? buffered.key() : null;
		return (property != null) ? batchKey(route.name(), property, json) : null;
	}

	/**
	 * Find the key of an item of a buffered job whose handler is not known here.
	 * @param name the name of the job
	 * @param property the property whose value is the key
	 * @param json its encoded arguments
	 * @return the key, or {@code null} if the item has no value there
	 * @throws JobDispatchException if the value cannot be a key
	 */
	public @Nullable String batchKey(String name, String property, String json) {
		String key = valueOf(name, property, json);
		if (key != null && (key.length() > MAX_KEY || key.indexOf('\0') >= 0)) {
			throw new JobDispatchException(
					"Job '%s' was not dispatched: the value of '%s', the key of its batches, has more than %d characters or contains U+0000."
						.formatted(name, property, MAX_KEY));
		}
		return key;
	}

	/**
	 * Make the arguments of the next job of a chain: the result of its predecessor if
	 * that is of the type of its single parameter, otherwise the same arguments; none if
	 * it takes none.
	 * @param next the job that follows
	 * @param args the arguments of its predecessor, a JSON array
	 * @param result what its predecessor returned
	 * @return a JSON array
	 * @throws JobDispatchException if the result is of that type, but cannot be sent
	 */
	public String encodeNext(Route next, String args, @Nullable Object result) {
		if (next.arguments().count() == 0) {
			return "[]";
		}
		if (result != null && next.arguments().count() == 1 && next.arguments().get(0).takes(result)) {
			return encode(next, new @Nullable Object[] { result });
		}
		return args;
	}

	/**
	 * Write what a handler returned. Never fails: a result is worth less than the success
	 * of its job.
	 * @param route the job
	 * @param value the result
	 * @param maxBytes the most bytes it may take in UTF-8
	 * @return JSON, or {@code null} if there is nothing, or it cannot be written or is
	 * too large
	 */
	public @Nullable String encodeResult(Route route, @Nullable Object value, int maxBytes) {
		if (value == null) {
			return null;
		}
		JsonText text = new JsonText(maxBytes);
		try (JsonGenerator generator = this.mapper.createGenerator(text)) {
			resultWriter(route, value).writeValue(generator, value);
		}
		catch (Throwable ex) {
			MachineErrors.rethrow(ex);
			if (!text.isOverflown()) {
				return notKept(value, Redaction.describe(ex));
			}
		}
		long size = text.size();
		if (size > maxBytes) {
			return notKept(value, "it takes more than " + maxBytes + " bytes as JSON");
		}
		return (size >= 0) ? text.toString() : notKept(value, "it contains a lone surrogate");
	}

	// The elements of a container lose their type ids unless it is written as declared.
	private ObjectWriter resultWriter(Route route, Object result) {
		JavaType declared = route.returnType();
		return (declared.isContainerType() && declared.getRawClass().isInstance(result))
				? this.untyped.forType(declared) : this.untyped;
	}

	private static @Nullable String notKept(Object result, String reason) {
		logger.debug("A result of type {} is not kept: {}", result.getClass().getName(), reason);
		return null;
	}

	/**
	 * Read what a handler returned.
	 * @param <T> the type
	 * @param json what {@link #encodeResult} wrote
	 * @param type the type to read it as
	 * @return the result, or {@code null} if the JSON is {@code null}
	 * @throws IllegalStateException if it cannot be read as that type
	 */
	public <T> @Nullable T decodeResult(String json, Class<T> type) {
		try (JsonParser parser = new ExactNumbers(this.mapper.createParser(json))) {
			return this.mapper.readValue(parser, type);
		}
		catch (Exception | StackOverflowError ex) {
			throw new IllegalStateException(
					"The result cannot be read as " + type.getName() + ": " + Redaction.describe(ex),
					Redaction.withoutMessage(ex));
		}
	}

	/**
	 * Find the type that a method declares.
	 * @param type what it declares
	 * @param declaring the class or interface that has the method
	 * @param owner the class whose method it is, which says what the type variables of
	 * its superclasses stand for
	 * @return the type
	 */
	JavaType type(Type type, Class<?> declaring, Type owner) {
		JavaType known = this.mapper.constructType(owner).findSuperType(declaring);
		return this.mapper.getTypeFactory()
			.resolveMemberType(type, (known != null) ? known.getBindings() : TypeBindings.emptyBindings());
	}

	JavaType listOf(JavaType item) {
		return this.mapper.getTypeFactory().constructCollectionType(List.class, item);
	}

	Arguments arguments(List<HandlerParameter> parameters, boolean nullable) {
		List<Argument> each = new ArrayList<>(parameters.size());
		for (HandlerParameter parameter : parameters) {
			each.add(new Argument(this.mapper, each.size(), parameter.name(), parameter.type(), nullable));
		}
		return new Arguments(this.mapper, each, this.maxPayload);
	}

	/**
	 * Make sure that there is a way to write and to read a type, as far as that shows
	 * without a value.
	 * @param type the type
	 * @throws JacksonException if there is none; its message holds types only
	 */
	void check(JavaType type) {
		this.mapper._serializationContext().findRootValueSerializer(type);
		this.mapper._deserializationContext().findRootValueDeserializer(type);
	}

	/**
	 * Tell whether values of a type have a property in JSON.
	 * @param type the type
	 * @param property the property
	 * @return {@code true} also if the type does not tell
	 */
	boolean mayHaveProperty(JavaType type, String property) {
		// Each implementation of an abstract type writes properties of its own.
		if (type.isMapLikeType() || type.isAbstract() && !isFromJava(type) || type.getRawClass() == Object.class
				|| type.isTypeOrSubTypeOf(JsonNode.class)) {
			return true;
		}
		Iterator<PropertyWriter> properties = this.mapper._serializationContext()
			.findRootValueSerializer(type)
			.properties();
		while (properties.hasNext()) {
			PropertyWriter next = properties.next();
			if (next.getName().equals(property) || next instanceof BeanPropertyWriter bean && bean.isUnwrapping()) {
				return true;
			}
		}
		return false;
	}

	private static boolean isFromJava(JavaType type) {
		return type.isPrimitive() || type.getRawClass().getName().startsWith("java.");
	}

	private @Nullable String valueOf(String name, String property, String json) {
		try (JsonParser parser = this.mapper.createParser(json)) {
			parser.nextToken();
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				return null;
			}
			while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
				boolean found = property.equals(parser.currentName());
				JsonToken value = parser.nextToken();
				if (!found) {
					parser.skipChildren();
					continue;
				}
				if (value.isStructStart()) {
					throw new JobDispatchException(
							"Job '%s' was not dispatched: '%s', the key of its batches, is not a single value."
								.formatted(name, property));
				}
				return (value != JsonToken.VALUE_NULL) ? parser.getString() : null;
			}
			return null;
		}
	}

	private static JobDispatchException refused(String name, MisfitException misfit) {
		return new JobDispatchException("Job '" + name + "' was not dispatched: " + misfit.getMessage() + ".",
				misfit.getCause());
	}

}
