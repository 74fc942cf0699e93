package io.gator.routing;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.routing.TestJobs.Empty;
import io.gator.routing.TestJobs.Item;
import io.gator.routing.TestJobs.None;
import io.gator.routing.TestJobs.OfBoxed;
import io.gator.routing.TestJobs.OfDecimal;
import io.gator.routing.TestJobs.OfDouble;
import io.gator.routing.TestJobs.OfInt;
import io.gator.routing.TestJobs.OfLocale;
import io.gator.routing.TestJobs.OfLong;
import io.gator.routing.TestJobs.OfSerializable;
import io.gator.routing.TestJobs.OfString;
import io.gator.routing.TestJobs.OfUntyped;
import io.gator.routing.TestJobs.OfVarargs;
import io.gator.routing.TestJobs.Several;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What is dispatched comes back as it was.
 */
class ArgsCodecTests {

	private final ArgsCodec codec = TestJobs.codec();

	@ParameterizedTest
	@MethodSource("values")
	void anArgumentComesBackAsItWas(Class<?> job, Object value) {
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
		assertThat(TestJobs.encode(Several.class, 1L, "a", TimeUnit.DAYS)).isEqualTo("[1,\"a\",\"DAYS\"]");
		assertThat(TestJobs.encode(None.class)).isEqualTo("[]");
		assertThat(TestJobs.encode(OfOffset.class, OfOffset.VALUE)).isEqualTo("[\"2024-02-29T12:00:00+05:30\"]");
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
	void rowsOfOlderAndNewerVersionsAreRead() {
		Route route = TestJobs.route(OfVersioned.class, this.codec);
		assertThat(this.codec.decode(route, "[{\"id\":1,\"future\":{\"a\":[]}}]"))
			.containsExactly(new Versioned(1, null, 0));
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

	private @Nullable Object throughJson(Class<?> job, Object value) {
		Route route = TestJobs.route(job, this.codec);
		return this.codec.decode(route, this.codec.encode(route, new Object[] { value }))[0];
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
	static class OfBoolean {

		void handle(boolean value) {
		}

	}

	@Job
	static class OfStrings {

		void handle(String[] values) {
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

	@Job
	static class OfRecord {

		void handle(Empty value) {
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

	record Versioned(long id, @Nullable String added, int number) {

	}

	@Job
	static class OfVersioned {

		void handle(Versioned value) {
		}

	}

}
