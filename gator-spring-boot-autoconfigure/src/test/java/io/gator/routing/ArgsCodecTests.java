package io.gator.routing;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gator.Buffered;
import io.gator.GatorJsonCustomizer;
import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobDispatchException;
import io.gator.Unique;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.ser.std.StdSerializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class ArgsCodecTests {

	/** A value that no message may hold. */
	private static final String SECRET = "s3cr3t-value";

	private final ArgsCodec codec = TestJobs.codec();

	@ParameterizedTest
	@MethodSource("values")
	void comesBackAsItWas(Class<?> job, Object value) {
		Route route = TestJobs.route(job, this.codec);
		String json = this.codec.encode(route, new Object[] { value });
		assertThat(this.codec.decode(route, json)).containsExactly(value);
	}

	static List<Arguments> values() {
		List<Arguments> values = new ArrayList<>(List.of(arguments(OfLong.class, Long.MIN_VALUE),
				arguments(OfLong.class, Long.MAX_VALUE), arguments(OfInt.class, -1), arguments(OfBoolean.class, true),
				arguments(OfString.class, "\"quoted\" \\ / \u0001 é € 😀 \u2028"),
				arguments(OfString.class, "before\u0000after"), arguments(OfString.class, ""),
				arguments(OfDouble.class, 0.1), arguments(OfDouble.class, Double.NaN),
				arguments(OfDouble.class, Double.NEGATIVE_INFINITY),
				arguments(OfDecimal.class, new BigDecimal("12345678901234567890.123456789012345678900")),
				arguments(OfDecimal.class, new BigDecimal("1E+30")), arguments(OfDecimal.class, new BigDecimal("0.00")),
				arguments(OfInteger.class, new BigInteger("123456789012345678901234567890")),
				arguments(OfUuid.class, UUID.randomUUID()), arguments(OfUri.class, URI.create("urn:x:y")),
				arguments(OfLocale.class, Locale.CANADA_FRENCH), arguments(OfEnum.class, TimeUnit.SECONDS),
				arguments(OfConstantBody.class, WithBody.ONE), arguments(OfBytes.class, new byte[] { 1, -1 }),
				arguments(OfInstant.class, Instant.parse("2024-02-29T12:00:00.123456789Z")),
				arguments(OfOffset.class, OfOffset.VALUE), arguments(OfZoned.class, OfZoned.VALUE),
				arguments(OfZoned.class, OfZoned.VALUE.withZoneSameInstant(ZoneId.of("UTC"))),
				arguments(OfOptional.class, Optional.of("x")), arguments(OfOptional.class, Optional.empty()),
				arguments(OfTimes.class, Times.VALUE), arguments(OfNested.class, Nested.VALUE),
				arguments(OfGenerics.class, OfGenerics.VALUE),
				arguments(OfShapes.class, List.of(new Circle(1.5), new Square(2))),
				arguments(OfRecord.class, new Empty()), arguments(OfUntyped.class, Map.of("a", List.of(1, true, "x"))),
				arguments(OfSerializable.class, 5), arguments(OfSerializable.class, 5_000_000_000L),
				arguments(OfSerializable.class, "x")));
		for (Class<?> job : List.of(OfString.class, OfBoxed.class, OfUuid.class, OfNested.class, OfGenerics.class)) {
			values.add(arguments(job, null));
		}
		return values;
	}

	@Test
	void theJsonIsAnArrayOfTheArguments() {
		assertThat(encode(Several.class, 1L, "a", TimeUnit.DAYS)).isEqualTo("[1,\"a\",\"DAYS\"]");
		assertThat(encode(None.class)).isEqualTo("[]");
		assertThat(encode(OfOffset.class, OfOffset.VALUE)).isEqualTo("[\"2024-02-29T12:00:00+05:30\"]");
	}

	@ParameterizedTest
	@ValueSource(strings = { "[1,\"a\",true,2]", "[-1,\"\",false,-2147483648]", "[ 1 , \"a\" , true , 2 ]",
			"[9223372036854775807,\"é\",true,2147483647]", "[-9223372036854775808,\"\\u0041\\n\",true,0]",
			"[0,null,true,0]", "[123456789012345678,\"a,]\",true,999999999]", "[1,\"a\",true,1234567890]" })
	void theShortWayReadsWhatJacksonReads(String json) {
		JsonNode expected = JsonMapper.shared().readTree(json);
		assertThat(this.codec.decode(TestJobs.route(OfPlain.class, this.codec), json)).containsExactly(
				expected.get(0).asLong(), expected.get(1).isNull() ? null : expected.get(1).asString(),
				expected.get(2).asBoolean(), expected.get(3).asInt());
	}

	@ParameterizedTest
	@ValueSource(strings = { "[01,\"a\",true,2]", "[1,\"a\",true,2147483648]", "[1,\"a\",true,2", "[1,\"a\",true,2]]",
			"[1,\"a\",tru,2]", "[1,\"a,true,2]", "[,\"a\",true,2]", "[-,\"a\",true,2]", "[1 \"a\",true,2]",
			"[1,\"a\",true]", "[1,\"a\",true,2,3]", "1,\"a\",true,2]", "[1,\"a\"true,2]" })
	void theShortWayRefusesWhatJacksonRefuses(String json) {
		assertThatExceptionOfType(UnreadableArgumentsException.class)
			.isThrownBy(() -> this.codec.decode(TestJobs.route(OfPlain.class, this.codec), json));
	}

	@Test
	void numbersAreWidenedAsInACall() {
		assertThat(encode(OfLong.class, 1)).isEqualTo("[1]");
		assertThat(encode(OfLong.class, (byte) 1)).isEqualTo("[1]");
		assertThat(encode(OfBoxed.class, (short) 1)).isEqualTo("[1]");
		assertThat(encode(OfDouble.class, 1)).isEqualTo("[1.0]");
		assertRefused(OfInt.class, 1L).hasMessageContaining("argument 0 (value) takes int, not java.lang.Long");
		assertRefused(OfLong.class, 1.0).hasMessageContaining("takes long, not java.lang.Double");
	}

	@Test
	void anArgumentOfAnotherTypeIsRefusedWithItsPlaceAndBothTypes() {
		assertRefused(Several.class, 1L, 2, TimeUnit.DAYS)
			.hasMessage("Job 'Several' was not dispatched: argument 1 (name) takes java.lang.String, "
					+ "not java.lang.Integer.");
		assertRefused(OfLong.class, SECRET).hasMessageContaining("takes long, not java.lang.String");
		assertRefused(OfLocale.class, "fr").hasMessageContaining("takes java.util.Locale, not java.lang.String");
		assertRefused(OfLong.class, (Object) null).hasMessageContaining("takes long, which cannot be null");
		assertRefused(OfVarargs.class, "a").hasMessageContaining("takes java.lang.String[], not java.lang.String");
	}

	@Test
	void anotherNumberOfArgumentsIsRefused() {
		assertRefused(Several.class, 1L)
			.hasMessage("Job 'Several' was not dispatched: the handler takes 3 arguments, not 1.");
		assertRefused(OfLong.class).hasMessageContaining("takes 1 argument, not 0");
		assertRefused(None.class, 1).hasMessageContaining("takes 0 arguments, not 1");
	}

	@Test
	void aLoneNullOrArrayIsTheSingleArgument() {
		assertThat(this.codec.encode(TestJobs.route(OfString.class), (Object[]) null)).isEqualTo("[null]");
		assertThat(this.codec.encode(TestJobs.route(OfStrings.class), new String[] { "a", "b" }))
			.isEqualTo("[[\"a\",\"b\"]]");
		assertThat(this.codec.encode(TestJobs.route(OfVarargs.class), new Object[] { new String[] { "a" } }))
			.isEqualTo("[[\"a\"]]");
	}

	@Test
	void anArrayOfAnyTypeMayBeThatOfTheArguments() {
		Object[] numbers = new Integer[] { 1, 2 };
		assertThat(this.codec.encode(TestJobs.route(OfTwo.class), numbers)).isEqualTo("[1,2]");
		assertThat(numbers).as("it is the caller's").containsExactly(1, 2);
		assertThat(this.codec.encode(TestJobs.route(OfLong.class), new Integer[] { 5 })).isEqualTo("[5]");
	}

	@Test
	void whatCannotBeWrittenIsRefusedWithItsPlaceAndWithoutItsValue() {
		assertRefused(OfUntyped.class, new Throwing())
			.hasMessageContaining("argument 0 (value) cannot be written as JSON")
			.hasMessageContaining("IllegalStateException at name");
		Map<String, Object> itself = new HashMap<>();
		itself.put(SECRET, itself);
		assertRefused(OfUntyped.class, itself).hasMessageContaining("cannot be written as JSON");
		assertRefused(OfUntyped.class, Map.of(SECRET, List.of(new Throwing()))).hasMessageContaining("at [*][0].name");
	}

	@Test
	void whatCannotBeReadBackIsRefusedWithItsPlaceAndWithoutItsValue() {
		assertRefused(OfUnreadable.class, new Unreadable(SECRET))
			.hasMessageContaining("as written, argument 0 (value) cannot be read as " + Unreadable.class.getName());
		assertRefused(OfPicky.class, new Picky(SECRET))
			.hasMessageContaining("cannot be read as " + Picky.class.getName())
			.hasMessageContaining("IllegalArgumentException");
		assertRefused(OfDecimal.class, new BigDecimal(BigInteger.TEN.pow(2000))).hasMessageContaining("length");
	}

	@Test
	void whatWouldComeBackAsSomethingElseIsRefused() {
		assertRefused(OfUntyped.class, new Empty()).hasMessageContaining("comes back from JSON as");
		assertRefused(OfUntyped.class, new Object()).hasMessageContaining("comes back from JSON as");
		assertRefused(OfParent.class, new Child()).hasMessageContaining(Child.class.getName())
			.hasMessageContaining("comes back from JSON as " + Parent.class.getName())
			.hasMessageContaining("@JsonTypeInfo");
	}

	@ParameterizedTest
	@ValueSource(strings = { "12345678901234567.89", "0.1000000000000000000001", "1E+400", "1E-400" })
	void aDecimalKeepsItsDigitsWhereNoTypeSaysWhatItIs(String text) {
		BigDecimal amount = new BigDecimal(text);
		assertThat(throughJson(OfUntyped.class, amount)).isEqualTo(amount);
		assertThat(throughJson(OfNumber.class, amount)).isEqualTo(amount);
		assertThat(throughJson(OfUntyped.class, Map.of("a", List.of(amount)))).isEqualTo(Map.of("a", List.of(amount)));
		Loose loose = new Loose(amount, amount, JsonNodeFactory.instance.objectNode().put("a", amount),
				Map.of("a", amount));
		assertThat(throughJson(OfLoose.class, loose)).isEqualTo(loose);
		assertThat(throughJson(OfUnwrapped.class, new Unwrapped(loose))).isEqualTo(new Unwrapped(loose));
		assertThat(this.codec.decodeResult("{\"a\":" + text + "}", Object.class)).isEqualTo(Map.of("a", amount));
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0.5, 0.1, 1e300, 5.684341886080802E-14, Double.MIN_VALUE, -0.0 })
	void aDoubleStaysOneWhereNoTypeSaysWhatItIs(double value) {
		assertThat(throughJson(OfUntyped.class, value)).isEqualTo(value);
		assertThat(throughJson(OfNumber.class, value)).isEqualTo(value);
		Loose loose = new Loose(value, value, JsonNodeFactory.instance.objectNode().put("a", value),
				Map.of("a", value));
		assertThat(throughJson(OfLoose.class, loose)).isEqualTo(loose);
	}

	@Test
	void halfASurrogatePairIsRefusedWithItsPlace() {
		assertRefused(Several.class, 1L, SECRET + "\ud83d", TimeUnit.DAYS)
			.hasMessageContaining("argument 1 (name) contains a lone surrogate");
		assertRefused(OfUntyped.class, Map.of("\ude00", 1)).hasMessageContaining("argument 0 (value)");
		assertThat(encode(OfString.class, "😀")).isEqualTo("[\"😀\"]");
	}

	@Test
	void nestingBeyondMeasureIsRefused() {
		Object deep = "x";
		for (int i = 0; i < 100_000; i++) {
			deep = List.of(deep);
		}
		assertRefused(OfUntyped.class, deep).hasMessageContaining("argument 0 (value)").hasMessageContaining("nesting");
		Object fine = "x";
		for (int i = 0; i < 100; i++) {
			fine = List.of(fine);
		}
		assertThat(encode(OfUntyped.class, fine)).hasSize(204 + 1);
	}

	@Test
	void theSizeIsLimitedInBytes() {
		ArgsCodec small = new ArgsCodec(List.of(), 100);
		Route route = TestJobs.route(OfString.class, small);
		assertThat(small.encode(route, new Object[] { "x".repeat(96) })).hasSize(100);
		assertThat(small.encode(route, new Object[] { "é".repeat(48) }).getBytes(StandardCharsets.UTF_8)).hasSize(100);
		assertThat(small.encode(route, new Object[] { "😀".repeat(24) }).getBytes(StandardCharsets.UTF_8)).hasSize(100);
		for (String large : List.of("x".repeat(97), "é".repeat(49), "😀".repeat(25), "x".repeat(10_000_000))) {
			assertThatExceptionOfType(JobDispatchException.class)
				.isThrownBy(() -> small.encode(route, new Object[] { large }))
				.withMessageContaining("OfString")
				.withMessageContaining("more than 100 bytes")
				.withMessageContaining("gator.max-payload");
		}
	}

	@Test
	void rowsThatDoNotFitAreUnreadableAndTheMessageHasNoValue() {
		Map<String, String> rows = new LinkedHashMap<>();
		rows.put("[]", "takes 3 arguments, not 0");
		rows.put("[1]", "takes 3 arguments, not 1");
		rows.put("[1,\"a\",\"DAYS\",4]", "more arguments than the 3");
		rows.put("{\"" + SECRET + "\":1}", "not a JSON array");
		rows.put("\"" + SECRET + "\"", "not a JSON array");
		rows.put("", "not a JSON array");
		rows.put("[\"" + SECRET + "\",\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[99999999999999999999,\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[1,\"a\",\"" + SECRET + "\"]", "argument 2 (unit) cannot be read as java.util.concurrent.TimeUnit");
		rows.put("[2.0,\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[19.99,\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[1,{\"" + SECRET + "\":1},\"DAYS\"]", "argument 1 (name) cannot be read as java.lang.String");
		rows.put("[1,\"a", "argument 1 (name) cannot be read");
		rows.put("[null,\"a\",\"DAYS\"]", "argument 0 (id) takes long, which cannot be null");
		rows.put("[" + SECRET, "argument 0 (id) cannot be read");
		Route route = TestJobs.route(Several.class, this.codec);
		rows.forEach((json, message) -> {
			Throwable thrown = catchThrowable(() -> this.codec.decode(route, json));
			assertThat(thrown).as(json)
				.isInstanceOf(UnreadableArgumentsException.class)
				.hasMessageContaining("'Several'")
				.hasMessageContaining(message);
			assertThat(textOf(thrown)).doesNotContain(SECRET).doesNotContain("99999999999999999999");
		});
	}

	@Test
	void rowsOfOlderAndNewerVersionsAreRead() {
		Route route = TestJobs.route(OfVersioned.class, this.codec);
		assertThat(this.codec.decode(route, "[{\"id\":1,\"future\":{\"a\":[]}}]"))
			.containsExactly(new Versioned(1, null, 0));
	}

	@Test
	void aBatchHoldsNoNull() {
		assertRefused(OfItems.class, (Object) null).hasMessageContaining("argument 0 (item)")
			.hasMessageContaining("cannot be null");
	}

	@Test
	void theKeyOfABatchIsAPropertyOfItsItems() {
		Route route = TestJobs.route(OfItems.class, this.codec);
		assertThat(this.codec.batchKey(route, encode(OfItems.class, new Item("a b", 1)))).isEqualTo("a b");
		assertThat(this.codec.batchKey(route, encode(OfItems.class, new Item(null, 1)))).isNull();
		assertThat(this.codec.batchKey(TestJobs.route(OfLong.class), "[1]")).isNull();
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> this.codec.batchKey(route, encode(OfItems.class, new Item("x".repeat(513), 1))))
			.withMessageContaining("'OfItems'")
			.withMessageContaining("'tenant'");
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> this.codec.batchKey(route, encode(OfItems.class, new Item("\u0000", 1))))
			.withMessageContaining("U+0000");
	}

	@Test
	void theUniqueKeyIsTheSameForTheSameArgumentsThatCount() {
		Route route = TestJobs.route(OfUnique.class, this.codec);
		String key = this.codec.uniqueKey(route, new Object[] { 1L, Map.of(), "x" });
		assertThat(key).matches("OfUnique:[0-9a-f]{64}");
		assertThat(this.codec.uniqueKey(route, new Object[] { 1, Map.of(), "another" })).isEqualTo(key);
		assertThat(this.codec.uniqueKey(route, new Object[] { 2L, Map.of(), "x" })).isNotEqualTo(key);
		Map<String, Integer> one = new LinkedHashMap<>(Map.of("a", 1));
		one.put("b", 2);
		Map<String, Integer> other = new LinkedHashMap<>(Map.of("b", 2));
		other.put("a", 1);
		assertThat(this.codec.uniqueKey(route, new Object[] { 1L, one, "x" }))
			.isEqualTo(this.codec.uniqueKey(route, new Object[] { 1L, other, "x" }))
			.isNotEqualTo(key);
		assertThat(this.codec.uniqueKey(TestJobs.route(OfLong.class), new Object[] { 1L })).isNull();
		Route serializable = TestJobs.route(OfSerializable.class, this.codec);
		assertThat(this.codec.uniqueKey(serializable, new Object[] { 1L }))
			.isNotEqualTo(this.codec.uniqueKey(serializable, new Object[] { 2L }));
	}

	@Test
	void theUniqueKeyOfSetsAndMapsDoesNotDependOnTheirOrder() {
		Route route = TestJobs.route(OfUnordered.class, this.codec);
		// Of one bucket, so that their order in a hash set is that of their insertion.
		Set<String> set = new HashSet<>(List.of("Aa", "BB"));
		Set<String> sameSet = new HashSet<>(List.of("BB", "Aa"));
		assertThat(set).isEqualTo(sameSet);
		assertThat(List.copyOf(new ArrayList<>(set))).isNotEqualTo(new ArrayList<>(sameSet));
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("set", Set.of(1, 2, 3));
		map.put("deep", List.of(set, new TreeMap<>(Map.of("a", 1, "b", 2))));
		Map<String, Object> sameMap = new TreeMap<>(Comparator.reverseOrder());
		TreeMap<String, Integer> backwards = new TreeMap<>(Comparator.reverseOrder());
		backwards.putAll(Map.of("a", 1, "b", 2));
		sameMap.put("deep", List.of(sameSet, backwards));
		sameMap.put("set", new LinkedHashSet<>(List.of(3, 2, 1)));
		assertThat(map).isEqualTo(sameMap);
		Tagged tagged = new Tagged("x", set, List.of("a", "b"));
		Tagged sameTagged = new Tagged("x", new LinkedHashSet<>(List.of("BB", "Aa")), List.of("a", "b"));
		assertThat(tagged).isEqualTo(sameTagged);
		String key = this.codec.uniqueKey(route, new Object[] { set, map, tagged, new LinkedHashSet<>(set) });
		assertThat(this.codec.uniqueKey(route, new Object[] { sameSet, sameMap, sameTagged, sameSet })).isEqualTo(key);
		for (Object[] different : new Object[][] { { Set.of("Aa"), map, tagged, set }, { set, Map.of(), tagged, set },
				{ set, map, new Tagged("x", set, List.of("b", "a")), set },
				{ set, map, tagged, List.of("BB", "Aa", "x") } }) {
			assertThat(this.codec.uniqueKey(route, different)).isNotEqualTo(key);
		}
	}

	@Test
	void theUniqueKeyTellsListsOfOtherOrderAndNumbersOfOtherScaleApart() {
		Route route = TestJobs.route(OfUnordered.class, this.codec);
		assertThat(key(route, List.of("a", "b"))).isNotEqualTo(key(route, List.of("b", "a")));
		assertThat(key(route, List.of("1"), new BigDecimal("1.0")))
			.isNotEqualTo(key(route, List.of("1"), new BigDecimal("1.00")));
		assertThat(key(route, List.of("1"), new BigDecimal("0.1234567890123456789")))
			.isNotEqualTo(key(route, List.of("1"), new BigDecimal("0.1234567890123456788")));
	}

	@Test
	void whatIsStoredKeepsItsOrderWhateverTheKey() {
		Route route = TestJobs.route(OfUnordered.class, this.codec);
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("z", 1);
		map.put("a", 2);
		assertThat(this.codec.encode(route,
				new Object[] { new LinkedHashSet<>(List.of("b", "a")), map, new Tagged("x", Set.of(), List.of()),
						List.of() }))
			.isEqualTo("[[\"b\",\"a\"],{\"z\":1,\"a\":2},{\"name\":\"x\",\"tags\":[],\"list\":[]},[]]");
	}

	private @Nullable String key(Route route, List<String> list, Object... values) {
		return this.codec.uniqueKey(route, new Object[] { Set.of(), Map.of("values", List.of(values)),
				new Tagged("x", Set.of(), list), List.of() });
	}

	@Test
	void withoutTheHandlerArgumentsAreWrittenAsTheyAre() {
		assertThat(this.codec.encode("Elsewhere", new Object[] { 1, "a", null, new Item("t", 1), Optional.of(2) }))
			.isEqualTo("[1,\"a\",null,{\"tenant\":\"t\",\"amount\":1},2]");
		assertThat(this.codec.encode("Elsewhere", null)).isEqualTo("[null]");
		assertThat(this.codec.encode("Elsewhere", new Object[0])).isEqualTo("[]");
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> this.codec.encode("Elsewhere", new Object[] { 1, new Object() }))
			.withMessageContaining("'Elsewhere'")
			.withMessageContaining("argument 1");
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> this.codec.encode("Elsewhere", new Object[] { "\ud83d" }))
			.withMessageContaining("argument 0");
	}

	@Test
	void theNextJobOfAChainTakesTheResultIfItFitsAndTheSameArgumentsOtherwise() {
		Route next = TestJobs.route(OfString.class, this.codec);
		assertThat(this.codec.encodeNext(next, "[\"same\"]", "result")).isEqualTo("[\"result\"]");
		assertThat(this.codec.encodeNext(next, "[\"same\"]", 1)).isEqualTo("[\"same\"]");
		assertThat(this.codec.encodeNext(next, "[\"same\"]", null)).isEqualTo("[\"same\"]");
		assertThat(this.codec.encodeNext(TestJobs.route(None.class, this.codec), "[1]", 2)).isEqualTo("[]");
		assertThat(this.codec.encodeNext(TestJobs.route(Several.class, this.codec), "[1,\"a\",null]", 2))
			.isEqualTo("[1,\"a\",null]");
	}

	@Test
	void aResultOfTheRightTypeThatCannotBeSentIsRefusedToTheNextJobOfAChain() {
		Route next = TestJobs.route(OfString.class, this.codec);
		for (String result : List.of("\ud83d", "x".repeat(TestJobs.MAX_PAYLOAD))) {
			assertThatExceptionOfType(JobDispatchException.class)
				.isThrownBy(() -> this.codec.encodeNext(next, "[\"same\"]", result))
				.withMessageContaining(next.name());
		}
	}

	@Test
	void aResultIsKeptIfItIsSmallAndCanBeWritten() {
		assertThat(this.codec.encodeResult(new Item("t", 1), 100)).isEqualTo("{\"tenant\":\"t\",\"amount\":1}");
		assertThat(this.codec.decodeResult("{\"tenant\":\"t\",\"amount\":1}", Item.class)).isEqualTo(new Item("t", 1));
		assertThat(this.codec.encodeResult(null, 100)).isNull();
		assertThat(this.codec.encodeResult("x".repeat(98), 100)).hasSize(100);
		assertThat(this.codec.encodeResult("é".repeat(50), 100)).isNull();
		assertThat(this.codec.encodeResult("\ud83d", 100)).isNull();
		assertThat(this.codec.encodeResult(new Throwing(), 100)).isNull();
		Throwable thrown = catchThrowable(() -> this.codec.decodeResult("\"" + SECRET + "\"", Item.class));
		assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessageContaining(Item.class.getName());
		assertThat(textOf(thrown)).doesNotContain(SECRET);
	}

	@Test
	void whyAResultIsNotKeptIsSaidWithoutIt() {
		Logger logger = (Logger) LoggerFactory.getLogger(ArgsCodec.class);
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		logger.addAppender(lines);
		logger.setLevel(Level.DEBUG);
		try {
			this.codec.encodeResult(SECRET.repeat(100), 100);
			this.codec.encodeResult(SECRET + "\ud83d", 100);
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(lines);
		}
		assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.containsExactly("A result of type java.lang.String is not kept: it takes more than 100 bytes as JSON",
					"A result of type java.lang.String is not kept: it contains a lone surrogate");
	}

	@Test
	void aCustomizerMayAddModules() {
		ArgsCodec customized = TestJobs.codec((builder) -> builder.addModule(new Shouting()));
		Route route = TestJobs.route(OfString.class, customized);
		assertThat(customized.encode(route, new Object[] { "a" })).isEqualTo("[\"A\"]");
	}

	@Test
	void aCustomizerCannotSpoilTheRows() {
		ArgsCodec customized = TestJobs.codec((builder) -> builder.enable(SerializationFeature.INDENT_OUTPUT)
			.disable(JsonWriteFeature.QUOTE_PROPERTY_NAMES)
			.disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
			.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS));
		Route route = TestJobs.route(OfUntyped.class, customized);
		assertThat(customized.encode(route, new Object[] { Map.of("a", Double.NaN) })).isEqualTo("[{\"a\":\"NaN\"}]");
	}

	@Test
	void defaultTypingIsRefused() {
		GatorJsonCustomizer direct = (builder) -> builder.activateDefaultTyping(
				BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(), DefaultTyping.NON_FINAL);
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> TestJobs.codec(direct))
			.withMessageContaining("GatorJsonCustomizer")
			.withMessageContaining("default typing")
			.satisfies((ex) -> assertThat(ex.action()).contains("Id.NAME"));
		GatorJsonCustomizer hidden = (builder) -> builder.addModule(new SimpleModule("hidden") {

			private static final long serialVersionUID = 1L;

			@Override
			public void setupModule(JacksonModule.SetupContext context) {
				direct.customize((JsonMapper.Builder) context.getOwner());
			}

		});
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> TestJobs.codec(hidden));
	}

	@Test
	void aRowCannotChooseAClass() {
		Route route = TestJobs.route(OfUntyped.class, this.codec);
		assertThat(this.codec.decode(route, "[[\"" + Item.class.getName() + "\",{\"@class\":\"java.io.File\"}]]"))
			.containsExactly(List.of(Item.class.getName(), Map.of("@class", "java.io.File")));
	}

	private @Nullable Object throughJson(Class<?> job, Object value) {
		Route route = TestJobs.route(job, this.codec);
		return this.codec.decode(route, this.codec.encode(route, new Object[] { value }))[0];
	}

	private String encode(Class<?> job, @Nullable Object... args) {
		return this.codec.encode(TestJobs.route(job, this.codec), args);
	}

	private org.assertj.core.api.AbstractThrowableAssert<?, ?> assertRefused(Class<?> job, @Nullable Object... args) {
		Throwable thrown = catchThrowable(() -> encode(job, args));
		assertThat(textOf(thrown)).doesNotContain(SECRET);
		return assertThat(thrown).isInstanceOf(JobDispatchException.class)
			.hasMessageContaining("'" + job.getSimpleName() + "'");
	}

	private static String textOf(Throwable thrown) {
		StringBuilder text = new StringBuilder();
		for (Throwable each = thrown; each != null; each = each.getCause()) {
			text.append(each).append(Arrays.toString(each.getSuppressed()));
		}
		return text.toString();
	}

	@Job
	static class None {

		void handle(JobContext context) {
		}

	}

	@Job
	static class Several {

		void handle(long id, String name, JobContext context, TimeUnit unit) {
		}

	}

	@Job
	static class OfPlain {

		void handle(long number, String text, boolean flag, int small) {
		}

	}

	@Job
	static class OfTwo {

		void handle(long from, long to) {
		}

	}

	@Job
	static class OfLong {

		void handle(long value) {
		}

	}

	@Job
	static class OfBoxed {

		void handle(Long value) {
		}

	}

	@Job
	static class OfInt {

		void handle(int value) {
		}

	}

	@Job
	static class OfBoolean {

		void handle(boolean value) {
		}

	}

	@Job
	static class OfDouble {

		void handle(double value) {
		}

	}

	@Job
	static class OfString {

		void handle(String value) {
		}

	}

	@Job
	static class OfStrings {

		void handle(String[] values) {
		}

	}

	@Job
	static class OfVarargs {

		void handle(String... values) {
		}

	}

	@Job
	static class OfDecimal {

		void handle(BigDecimal value) {
		}

	}

	@Job
	static class OfInteger {

		void handle(BigInteger value) {
		}

	}

	@Job
	static class OfUuid {

		void handle(UUID value) {
		}

	}

	@Job
	static class OfUri {

		void handle(URI value) {
		}

	}

	@Job
	static class OfLocale {

		void handle(Locale value) {
		}

	}

	@Job
	static class OfEnum {

		void handle(TimeUnit value) {
		}

	}

	enum WithBody {

		ONE {

			@Override
			public String toString() {
				return "Eins";
			}

		}

	}

	@Job
	static class OfConstantBody {

		void handle(WithBody value) {
		}

	}

	@Job
	static class OfBytes {

		void handle(byte[] value) {
		}

	}

	@Job
	static class OfInstant {

		void handle(Instant value) {
		}

	}

	@Job
	static class OfOffset {

		static final OffsetDateTime VALUE = OffsetDateTime.of(2024, 2, 29, 12, 0, 0, 0,
				ZoneOffset.ofHoursMinutes(5, 30));

		void handle(OffsetDateTime value) {
		}

	}

	@Job
	static class OfZoned {

		// The second two o'clock of that night.
		static final ZonedDateTime VALUE = ZonedDateTime.ofInstant(Instant.parse("2024-10-27T01:30:00Z"),
				ZoneId.of("Europe/Paris"));

		void handle(ZonedDateTime value) {
		}

	}

	record Times(LocalDate date, LocalTime time, LocalDateTime dateTime, Duration duration, Period period, Year year,
			YearMonth yearMonth, Month month, DayOfWeek day, ZoneId zone) {

		static final Times VALUE = new Times(LocalDate.of(2024, 2, 29), LocalTime.of(1, 2, 3, 4),
				LocalDateTime.of(2024, 2, 29, 1, 2, 3, 4), Duration.ofSeconds(90, 1), Period.ofMonths(14),
				Year.of(2024), YearMonth.of(2024, 2), Month.MARCH, DayOfWeek.SUNDAY, ZoneId.of("Asia/Kolkata"));

	}

	@Job
	static class OfTimes {

		void handle(Times value) {
		}

	}

	@Job
	static class OfOptional {

		void handle(Optional<String> value) {
		}

	}

	record Pair<A, B>(A first, @Nullable B second) {

	}

	record Nested(Map<UUID, List<Pair<Optional<BigDecimal>, OptionalInt>>> map, @Nullable Nested inner,
			Set<TimeUnit> units, int[] numbers) {

		static final Nested VALUE = new Nested(
				new TreeMap<>(Map.of(new UUID(1, 2),
						List.of(new Pair<>(Optional.of(new BigDecimal("1.10")), OptionalInt.of(3)),
								new Pair<>(Optional.empty(), OptionalInt.empty())))),
				new Nested(Map.of(), null, Set.of(), new int[0]), Set.of(TimeUnit.DAYS), new int[] { 1, 2 });

		@Override
		public boolean equals(Object other) {
			return other instanceof Nested nested && this.map.equals(nested.map) && this.units.equals(nested.units)
					&& Arrays.equals(this.numbers, nested.numbers)
					&& ((this.inner != null) ? this.inner.equals(nested.inner) : nested.inner == null);
		}

		@Override
		public int hashCode() {
			return this.map.hashCode();
		}

	}

	@Job
	static class OfNested {

		void handle(Nested value) {
		}

	}

	@Job
	static class OfGenerics {

		static final List<Pair<LocalDate, Long>> VALUE = List.of(new Pair<>(LocalDate.EPOCH, 1L),
				new Pair<>(LocalDate.EPOCH, null));

		void handle(Collection<Pair<LocalDate, Long>> value) {
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class) })
	interface Shape {

	}

	record Circle(double radius) implements Shape {

	}

	record Square(int side) implements Shape {

	}

	@Job
	static class OfShapes {

		void handle(Collection<Shape> value) {
		}

	}

	record Empty() {

	}

	@Job
	static class OfRecord {

		void handle(Empty value) {
		}

	}

	@Job
	static class OfUntyped {

		void handle(Object value) {
		}

	}

	@Job
	@Unique
	static class OfSerializable {

		void handle(Serializable value) {
		}

	}

	@Job
	static class OfNumber {

		void handle(Number value) {
		}

	}

	record Loose(Object any, Number number, JsonNode node, Map<String, Object> map) {
	}

	@Job
	static class OfLoose {

		void handle(Loose value) {
		}

	}

	record Unwrapped(@JsonUnwrapped Loose loose) {
	}

	@Job
	static class OfUnwrapped {

		void handle(Unwrapped value) {
		}

	}

	static class Throwing {

		public String getName() {
			throw new IllegalStateException(SECRET);
		}

	}

	static class Unreadable {

		private final String text;

		Unreadable(String text) {
			this.text = text;
		}

		Unreadable(String first, String second) {
			this(first + second);
		}

		public String getText() {
			return this.text;
		}

		public int getLength() {
			return this.text.length();
		}

	}

	@Job
	static class OfUnreadable {

		void handle(Unreadable value) {
		}

	}

	static class Picky {

		private final String text;

		@JsonCreator
		Picky(@JsonProperty("text") String text) {
			if (text.endsWith("!")) {
				throw new IllegalArgumentException("Not allowed: " + text);
			}
			this.text = text;
		}

		public String getText() {
			return this.text + "!";
		}

	}

	@Job
	static class OfPicky {

		void handle(Picky value) {
		}

	}

	static class Parent {

		public int a = 1;

	}

	static class Child extends Parent {

		public int b = 2;

	}

	@Job
	static class OfParent {

		void handle(Parent value) {
		}

	}

	record Versioned(long id, @Nullable String added, int number) {

	}

	@Job
	static class OfVersioned {

		void handle(Versioned value) {
		}

	}

	record Item(@Nullable String tenant, int amount) {

	}

	@Job
	@Buffered(key = "tenant")
	static class OfItems {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Unique(args = { 0, 1 })
	static class OfUnique {

		void handle(long id, Map<String, Integer> map, String other) {
		}

	}

	record Tagged(String name, Set<String> tags, List<String> list) {

	}

	@Job
	@Unique
	static class OfUnordered {

		void handle(Set<String> set, Map<String, Object> map, Tagged tagged, Collection<String> collection) {
		}

	}

	/**
	 * Writes texts in capitals.
	 */
	static class Shouting extends SimpleModule {

		private static final long serialVersionUID = 1L;

		Shouting() {
			addSerializer(String.class, new StdSerializer<>(String.class) {

				@Override
				public void serialize(String value, JsonGenerator generator, SerializationContext context) {
					generator.writeString(value.toUpperCase(Locale.ROOT));
				}

			});
		}

	}

}
