package io.gator.routing;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * The arguments of one job between Java and a JSON array. Its methods throw no other
 * exception than {@link MisfitException}.
 */
final class Arguments {

	private static final @Nullable Object[] NONE = {};

	private final JsonMapper mapper;

	private final Argument[] each;

	private final int maxPayload;

	private final Argument.Kind[] kinds;

	private final boolean plain;

	Arguments(JsonMapper mapper, List<Argument> each, int maxPayload) {
		this.mapper = mapper;
		this.each = each.toArray(Argument[]::new);
		this.maxPayload = maxPayload;
		this.kinds = each.stream().map(Argument::kind).toArray(Argument.Kind[]::new);
		// Arguments without OTHER always come back as they were: they need not be read
		// back.
		this.plain = Arrays.stream(this.kinds).noneMatch((kind) -> kind == Argument.Kind.OTHER);
	}

	int count() {
		return this.each.length;
	}

	Argument get(int index) {
		return this.each[index];
	}

	String encode(@Nullable Object @Nullable [] given) {
		@Nullable Object[] values = fit(given);
		if (values.length == 0) {
			return "[]";
		}
		if (this.plain) {
			String json = PlainText.write(values);
			// All of it is ASCII: a character is a byte.
			return (json != null && json.length() <= this.maxPayload) ? json : write(values);
		}
		String json = write(values);
		readBack(values, json);
		return json;
	}

	@Nullable Object[] decode(String json) {
		if (this.each.length == 0 && json.equals("[]")) {
			return NONE;
		}
		@Nullable Object[] plain = this.plain ? PlainText.read(json, this.kinds) : null;
		return (plain != null) ? plain : read(json);
	}

	private @Nullable Object[] read(String json) {
		@Nullable Object[] values = new @Nullable Object[this.each.length];
		int index = 0;
		try (JsonParser parser = new ExactNumbers(this.mapper.createParser(json))) {
			if (parser.nextToken() != JsonToken.START_ARRAY) {
				throw new MisfitException("the arguments are not a JSON array");
			}
			for (; index < values.length; index++) {
				JsonToken token = parser.nextToken();
				if (token == JsonToken.END_ARRAY) {
					throw count(index);
				}
				values[index] = this.each[index].read(parser, token);
			}
			if (parser.nextToken() != JsonToken.END_ARRAY) {
				throw new MisfitException(
						"there are more arguments than the " + values.length + " that the handler takes");
			}
			if (parser.nextToken() != null) {
				throw new MisfitException("something follows the array of the arguments");
			}
			return values;
		}
		catch (MisfitException ex) {
			throw ex;
		}
		catch (Exception | StackOverflowError ex) {
			String place = (index < this.each.length) ? this.each[index].toString() : "the end of the arguments";
			throw MisfitException.of(place + " cannot be read" + typeName(index), ex);
		}
	}

	/**
	 * Give arguments the types of the parameters.
	 * @param given what was passed to a method with a variable number of arguments
	 * @return as many arguments as the handler takes
	 */
	@Nullable Object[] fit(@Nullable Object @Nullable [] given) {
		@Nullable Object[] args = spread(given);
		if (args.length != this.each.length) {
			throw count(args.length);
		}
		@Nullable Object[] values = args;
		for (int i = 0; i < args.length; i++) {
			Object value = this.each[i].fit(args[i]);
			if (value != args[i]) {
				// Not a clone: the array of a caller may be one of a narrower type.
				values = (values == args) ? Arrays.copyOf(args, args.length, Object[].class) : values;
				values[i] = value;
			}
		}
		return values;
	}

	// In Java a lone null or an array of another type is taken for the array of
	// arguments.
	private @Nullable Object[] spread(@Nullable Object @Nullable [] given) {
		if (given == null) {
			return new @Nullable Object[] { null };
		}
		if (given.getClass() != Object[].class && this.each.length == 1
				&& this.each[0].type().getRawClass().isInstance(given)
				&& this.each[0].type().getRawClass() != Object.class) {
			return new @Nullable Object[] { given };
		}
		return given;
	}

	/**
	 * Make a short text that is the same for the same arguments.
	 * @param given the arguments
	 * @param positions the arguments that count; empty for all
	 * @param json writes them
	 * @return a hash in hexadecimal form
	 */
	String fingerprint(@Nullable Object @Nullable [] given, List<Integer> positions, CanonicalJson json) {
		@Nullable Object[] values = fit(given);
		StringBuilder all = new StringBuilder();
		for (int i = 0; i < values.length; i++) {
			if (positions.isEmpty() || positions.contains(i)) {
				all.append(this.each[i].canonical(values[i], json)).append('\n');
			}
		}
		return Hash.of(all);
	}

	String write(@Nullable Object[] values) {
		JsonText text = new JsonText(this.maxPayload);
		int index = 0;
		try (JsonGenerator generator = this.mapper.createGenerator(text)) {
			generator.writeStartArray();
			for (; index < values.length; index++) {
				this.each[index].write(generator, values[index]);
			}
			generator.writeEndArray();
		}
		catch (Throwable ex) {
			MachineErrors.rethrow(ex);
			if (!text.isOverflown()) {
				throw this.each[Math.min(index, values.length - 1)].unwritable(ex);
			}
		}
		return check(text, values);
	}

	private String check(JsonText text, @Nullable Object[] values) {
		long size = text.size();
		if (size > this.maxPayload) {
			throw new MisfitException("the arguments take more than " + this.maxPayload
					+ " bytes as JSON, which is the limit (gator.max-payload)");
		}
		if (size < 0) {
			throw new MisfitException(culprit(values) + " contains a lone surrogate, which is not valid Unicode");
		}
		return text.toString();
	}

	private Argument culprit(@Nullable Object[] values) {
		for (int i = 0; i < values.length - 1; i++) {
			JsonText text = new JsonText(this.maxPayload);
			try (JsonGenerator generator = this.mapper.createGenerator(text)) {
				this.each[i].write(generator, values[i]);
			}
			if (text.size() < 0) {
				return this.each[i];
			}
		}
		return this.each[values.length - 1];
	}

	private void readBack(@Nullable Object[] values, String json) {
		@Nullable Object[] read;
		try {
			read = read(json);
		}
		catch (MisfitException ex) {
			throw new MisfitException("as written, " + ex.getMessage(), ex.getCause());
		}
		catch (Error ex) {
			// Only here: a worker leaves such an error to a retry, because a class that
			// cannot be loaded in one process may be sound in another.
			MachineErrors.rethrow(ex);
			throw MisfitException.of("as written, the arguments cannot be read", ex);
		}
		for (int i = 0; i < values.length; i++) {
			this.each[i].compare(values[i], read[i]);
		}
	}

	private MisfitException count(int found) {
		return new MisfitException("the handler takes " + this.each.length + " argument"
				+ ((this.each.length != 1) ? "s" : "") + ", not " + found);
	}

	private String typeName(int index) {
		return (index < this.each.length) ? " as " + this.each[index].typeName() : "";
	}

}
