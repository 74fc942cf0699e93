package io.gator.routing;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.routing.TestJobs.Broken;
import io.gator.routing.TestJobs.Empty;
import io.gator.routing.TestJobs.Item;
import io.gator.routing.TestJobs.Mute;
import io.gator.routing.TestJobs.None;
import io.gator.routing.TestJobs.OfBoxed;
import io.gator.routing.TestJobs.OfDecimal;
import io.gator.routing.TestJobs.OfDouble;
import io.gator.routing.TestJobs.OfInt;
import io.gator.routing.TestJobs.OfItems;
import io.gator.routing.TestJobs.OfLocale;
import io.gator.routing.TestJobs.OfLong;
import io.gator.routing.TestJobs.OfString;
import io.gator.routing.TestJobs.OfUntyped;
import io.gator.routing.TestJobs.OfVarargs;
import io.gator.routing.TestJobs.Several;
import io.gator.routing.TestJobs.Throwing;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a handler does not take is refused when it is dispatched, and unreadable where a
 * row has it. No message quotes a value.
 */
class RefusedArgumentsTests {

	private final ArgsCodec codec = TestJobs.codec();

	@Test
	void numbersAreWidenedAsInACall() {
		assertThat(TestJobs.encode(OfLong.class, 1)).isEqualTo("[1]");
		assertThat(TestJobs.encode(OfLong.class, (byte) 1)).isEqualTo("[1]");
		assertThat(TestJobs.encode(OfBoxed.class, (short) 1)).isEqualTo("[1]");
		assertThat(TestJobs.encode(OfDouble.class, 1)).isEqualTo("[1.0]");
		assertRefused(OfInt.class, 1L).hasMessageContaining("argument 0 (value) takes int, not java.lang.Long");
		assertRefused(OfLong.class, 1.0).hasMessageContaining("takes long, not java.lang.Double");
	}

	@Test
	void anArgumentOfAnotherTypeIsRefusedWithItsPlaceAndBothTypes() {
		assertRefused(Several.class, 1L, 2, TimeUnit.DAYS)
			.hasMessage("Job 'Several' was not dispatched: argument 1 (name) takes java.lang.String, "
					+ "not java.lang.Integer.");
		assertRefused(OfLong.class, TestJobs.SECRET).hasMessageContaining("takes long, not java.lang.String");
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
	void whatCannotBeWrittenIsRefusedWithItsPlaceAndWithoutItsValue() {
		assertRefused(OfUntyped.class, new Throwing())
			.hasMessageContaining("argument 0 (value) cannot be written as JSON")
			.hasMessageContaining("IllegalStateException at name");
		Map<String, Object> itself = new HashMap<>();
		itself.put(TestJobs.SECRET, itself);
		assertRefused(OfUntyped.class, itself).hasMessageContaining("cannot be written as JSON");
		assertRefused(OfUntyped.class, Map.of(TestJobs.SECRET, List.of(new Throwing())))
			.hasMessageContaining("at [*][0].name");
	}

	@Test
	void elementsOfAnotherTypeAreRefusedWithWhatIsDeclared() {
		assertRefused(OfLongs.class, List.of(1L, 2)).hasMessageEndingWith("declared as java.util.List<java.lang.Long>, "
				+ "cannot be written as JSON: ClassCastException at [1].");
	}

	@Test
	void anArgumentWhoseGetterThrowsAnErrorIsRefusedWithItsPlaceAndWithoutItsValue() {
		for (Error error : List.of(new NoClassDefFoundError(TestJobs.SECRET), new AssertionError(TestJobs.SECRET),
				new Error(TestJobs.SECRET))) {
			assertRefused(OfUntyped.class, new Broken(error)).hasMessageContaining(
					"argument 0 (value) cannot be written as JSON: " + error.getClass().getSimpleName());
			assertThatExceptionOfType(JobDispatchException.class)
				.isThrownBy(() -> this.codec.encode("elsewhere", new Object[] { 1, new Broken(error) }))
				.withMessageContaining("argument 1 cannot be written as JSON");
		}
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> TestJobs.encode(OfUntyped.class, new Broken(new InternalError("not really"))));
	}

	@Test
	void anArgumentWhoseGetterThrowsWhatCannotBeAskedForAnythingIsRefusedWithItsPlace() {
		assertRefused(OfUntyped.class, new Broken(new Mute()))
			.hasMessageContaining("argument 0 (value) cannot be written as JSON: TestJobs.Mute at name");
	}

	@Test
	void theCauseOfARefusalShowsWhereItHappenedButNotWhatWasSaid() {
		assertRefused(OfUntyped.class, new Throwing()).rootCause()
			.hasMessage("message withheld, for it may quote arguments")
			.satisfies((root) -> {
				assertThat(root.toString()).startsWith(IllegalStateException.class.getName() + " (message withheld");
				assertThat(root.getStackTrace()[0].getClassName()).isEqualTo(Throwing.class.getName());
			});
	}

	@Test
	void causesThatGoRoundInACircleDoNotHoldUpARefusal() {
		RuntimeException first = new RuntimeException(TestJobs.SECRET);
		first.initCause(new RuntimeException(TestJobs.SECRET, first));
		assertRefused(OfUntyped.class, new Broken(first))
			.hasMessageContaining("cannot be written as JSON: RuntimeException");
	}

	@Test
	void whatCannotBeReadNamesTheTypeWithinTheArgumentAndItsPlace() {
		assertRefused(OfShapes.class, new Shapes(List.of(() -> TestJobs.SECRET)))
			.hasMessageEndingWith("cannot be read as %s: InvalidDefinitionException for %s at shapes[0]."
				.formatted(Shapes.class.getName(), Shape.class.getName()));
		Route route = TestJobs.route(OfItems.class, this.codec);
		Throwable thrown = catchThrowable(
				() -> this.codec.decode(route, "[{\"tenant\":\"a\",\"amount\":\"" + TestJobs.SECRET + "\"}]"));
		assertThat(thrown).hasMessageContaining("InvalidFormatException for int at amount");
	}

	@Test
	void anErrorOfAReaderRefusesADispatchAndIsLeftToTheWorkerWhereARowIsRead() {
		assertRefused(OfFaulty.class, new Faulty("x"))
			.hasMessageContaining("as written, the arguments cannot be read: NoClassDefFoundError");
		Route route = TestJobs.route(OfFaulty.class, this.codec);
		assertThatExceptionOfType(NoClassDefFoundError.class)
			.isThrownBy(() -> this.codec.decode(route, "[{\"text\":\"x\"}]"));
	}

	@Test
	void whatCannotBeReadBackIsRefusedWithItsPlaceAndWithoutItsValue() {
		assertRefused(OfUnreadable.class, new Unreadable(TestJobs.SECRET))
			.hasMessageContaining("as written, argument 0 (value) cannot be read as " + Unreadable.class.getName());
		assertRefused(OfPicky.class, new Picky(TestJobs.SECRET))
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

	@Test
	void anElementThatWouldComeBackAsItsSuperclassIsRefused() {
		assertRefused(OfParents.class, List.of(new Parent(), new Child()))
			.hasMessageContaining("comes back from JSON as " + Parent.class.getName());
		assertRefused(OfParentArray.class, (Object) new Parent[] { new Child() })
			.hasMessageContaining("comes back from JSON as " + Parent.class.getName());
		assertRefused(OfParentMap.class, Map.of("each", List.of(new Child())))
			.hasMessageContaining("comes back from JSON as " + Parent.class.getName());
		assertThat(TestJobs.encode(OfParents.class, List.of(new Parent(), new Parent()))).startsWith("[[{");
	}

	@Test
	void halfASurrogatePairIsRefusedWithItsPlace() {
		assertRefused(Several.class, 1L, TestJobs.SECRET + "\ud83d", TimeUnit.DAYS)
			.hasMessageContaining("argument 1 (name) contains a lone surrogate");
		assertRefused(OfTexts.class, "\ud83d", "a", "b").hasMessageContaining("argument 0 (first)");
		assertRefused(OfTexts.class, "a", "\ud83d", "b").hasMessageContaining("argument 1 (second)");
		assertRefused(OfUntyped.class, Map.of("\ude00", 1)).hasMessageContaining("argument 0 (value)");
		assertThat(TestJobs.encode(OfString.class, "😀")).isEqualTo("[\"😀\"]");
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
		assertThat(TestJobs.encode(OfUntyped.class, fine)).hasSize(204 + 1);
	}

	@Test
	void theSizeIsLimitedInBytes() {
		ArgsCodec small = new ArgsCodec(List.of(), 100);
		Route route = TestJobs.route(OfString.class, small);
		// Characters of one to four bytes, the first and the last ones of each length.
		for (String full : List.of("x".repeat(96), "\u0080".repeat(48), "\u07ff".repeat(48), "\u0800".repeat(32),
				"\uffff".repeat(32), "\ud800\udc00".repeat(24), "\udbff\udfff".repeat(24))) {
			assertThat(small.encode(route, new Object[] { full }).getBytes(StandardCharsets.UTF_8)).hasSize(100);
		}
		for (String large : List.of("x".repeat(97), "é".repeat(49), "€".repeat(33), "😀".repeat(25),
				"x".repeat(10_000_000))) {
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
		rows.put("{\"" + TestJobs.SECRET + "\":1}", "not a JSON array");
		rows.put("\"" + TestJobs.SECRET + "\"", "not a JSON array");
		rows.put("", "not a JSON array");
		rows.put("[\"" + TestJobs.SECRET + "\",\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[99999999999999999999,\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[1,\"a\",\"" + TestJobs.SECRET + "\"]",
				"argument 2 (unit) cannot be read as java.util.concurrent.TimeUnit");
		rows.put("[2.0,\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[19.99,\"a\",\"DAYS\"]", "argument 0 (id) cannot be read as long");
		rows.put("[1,{\"" + TestJobs.SECRET + "\":1},\"DAYS\"]",
				"argument 1 (name) cannot be read as java.lang.String");
		rows.put("[1,\"a", "argument 1 (name) cannot be read");
		rows.put("[null,\"a\",\"DAYS\"]", "argument 0 (id) takes long, which cannot be null");
		rows.put("[" + TestJobs.SECRET, "argument 0 (id) cannot be read");
		Route route = TestJobs.route(Several.class, this.codec);
		rows.forEach((json, message) -> {
			Throwable thrown = catchThrowable(() -> this.codec.decode(route, json));
			assertThat(thrown).as(json)
				.isInstanceOf(UnreadableArgumentsException.class)
				.hasMessageContaining("'Several'")
				.hasMessageContaining(message);
			assertThat(TestJobs.textOf(thrown)).doesNotContain(TestJobs.SECRET).doesNotContain("99999999999999999999");
		});
	}

	@Test
	void aBatchHoldsNoNull() {
		assertRefused(OfItems.class, (Object) null).hasMessageContaining("argument 0 (item)")
			.hasMessageContaining("cannot be null");
	}

	@Test
	void aRowCannotChooseAClass() {
		Route route = TestJobs.route(OfUntyped.class, this.codec);
		assertThat(this.codec.decode(route, "[[\"" + Item.class.getName() + "\",{\"@class\":\"java.io.File\"}]]"))
			.containsExactly(List.of(Item.class.getName(), Map.of("@class", "java.io.File")));
	}

	private org.assertj.core.api.AbstractThrowableAssert<?, ?> assertRefused(Class<?> job, @Nullable Object... args) {
		Throwable thrown = catchThrowable(() -> TestJobs.encode(job, args));
		assertThat(TestJobs.textOf(thrown)).doesNotContain(TestJobs.SECRET);
		return assertThat(thrown).isInstanceOf(JobDispatchException.class)
			.hasMessageContaining("'" + job.getSimpleName() + "'");
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

	interface Shape {

		String getName();

	}

	record Shapes(List<Shape> shapes) {

	}

	@Job
	static class OfShapes {

		void handle(Shapes value) {
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

	@JsonDeserialize(using = FaultyReader.class)
	record Faulty(String text) {

	}

	/** As a reader is one of whose classes is not there. */
	static class FaultyReader extends ValueDeserializer<Faulty> {

		@Override
		public Faulty deserialize(JsonParser parser, DeserializationContext context) {
			throw new NoClassDefFoundError(TestJobs.SECRET);
		}

	}

	@Job
	static class OfFaulty {

		void handle(Faulty value) {
		}

	}

	static class Parent {

		public int a = 1;

	}

	static class Child extends Parent {

		public int b = 2;

	}

	@Job
	static class OfParents {

		void handle(List<Parent> values) {
		}

	}

	@Job
	static class OfLongs {

		void handle(List<Long> values) {
		}

	}

	@Job
	static class OfParentArray {

		void handle(Parent[] values) {
		}

	}

	@Job
	static class OfParentMap {

		void handle(Map<String, List<Parent>> values) {
		}

	}

	@Job
	static class OfParent {

		void handle(Parent value) {
		}

	}

	@Job
	static class OfTexts {

		void handle(String first, String second, String third) {
		}

	}

}
