package io.gator.routing;

import java.util.stream.IntStream;

import io.gator.routing.ArgsCodecTests.OfPlain;
import io.gator.routing.Argument.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What takes the short way, and what is left to Jackson. That both say the same is in
 * {@link ArgsCodecTests}; without these tests the short way could be lost, and nothing
 * but the benchmark would show it.
 */
class PlainTextTests {

	private static final Kind[] KINDS = { Kind.LONG, Kind.STRING, Kind.BOOLEAN, Kind.INT };

	@Test
	void plainValuesAreReadTheShortWay() {
		assertThat(PlainText.read("[1,\"a\",true,2]", KINDS)).containsExactly(1L, "a", true, 2);
		assertThat(PlainText.read("[0,\"\",false,0]", KINDS)).containsExactly(0L, "", false, 0);
		assertThat(PlainText.read("[-999999999999999999,\" ~,]\",true,-999999999]", KINDS))
			.containsExactly(-999_999_999_999_999_999L, " ~,]", true, -999_999_999);
		assertThat(PlainText.read("[102938475610293847,\"[x]\",false,102938475]", KINDS))
			.containsExactly(102_938_475_610_293_847L, "[x]", false, 102_938_475);
	}

	@ParameterizedTest
	@ValueSource(strings = { "[1000000000000000000,\"a\",true,2]", "[1,\"a\",true,1000000000]", "[01,\"a\",true,2]",
			"[1,\"\u001f\",true,2]", "[1,\"\u007f\",true,2]", "[1,\"é\",true,2]", "[1,\"\\n\",true,2]",
			"[1,null,true,2]", "[1, \"a\",true,2]", "[1.0,\"a\",true,2]", "[1,\"a\",null,2]", "[1,\"a\",true]",
			"[1,\"a\",true,2,3]", "[1,\"a\",true,2", "[1,\"a\",true,", "[1,\"a", "[-", "[", "" })
	void whatIsNotExactlyOfThatFormIsLeftToJackson(String json) {
		assertThat(PlainText.read(json, KINDS)).isNull();
	}

	@Test
	void plainValuesAreWrittenTheShortWay() {
		assertThat(PlainText.write(new Object[] { 1L, " a~", true, -2 })).isEqualTo("[1,\" a~\",true,-2]");
		assertThat(PlainText.write(new Object[] { "" })).isEqualTo("[\"\"]");
	}

	@ParameterizedTest
	@ValueSource(strings = { "\u001f", "\u007f", "é", "a\"", "a\\", "€", "\ud83d" })
	void aTextThatIsToBeEscapedOrIsNotOfAsciiIsWrittenByJackson(String text) {
		assertThat(PlainText.write(new Object[] { 1L, text })).isNull();
	}

	@Test
	void whatHasNoPlainFormIsReadByJackson() {
		assertThat(PlainText.read("[1]", new Kind[] { Kind.OTHER })).isNull();
	}

	@Test
	void thoseTypesAreKnownAsPlainUnlessTheApplicationWritesThemItsOwnWay() {
		assertThat(kinds(TestJobs.route(OfPlain.class))).containsExactly(KINDS);
		ArgsCodec own = TestJobs.codec((builder) -> builder
			.addModule(new SimpleModule().addSerializer(String.class, ToStringSerializer.instance)));
		assertThat(kinds(TestJobs.route(OfPlain.class, own))).containsExactly(Kind.LONG, Kind.OTHER, Kind.BOOLEAN,
				Kind.INT);
	}

	private static Kind[] kinds(Route route) {
		return IntStream.range(0, route.argCount())
			.mapToObj((index) -> route.arguments().get(index).kind())
			.toArray(Kind[]::new);
	}

}
