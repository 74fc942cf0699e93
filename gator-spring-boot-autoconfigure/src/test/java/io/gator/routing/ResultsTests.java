package io.gator.routing;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonSubTypes.Type;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeInfo.Id;
import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.routing.TestJobs.Broken;
import io.gator.routing.TestJobs.Item;
import io.gator.routing.TestJobs.Mute;
import io.gator.routing.TestJobs.None;
import io.gator.routing.TestJobs.OfString;
import io.gator.routing.TestJobs.OfUntyped;
import io.gator.routing.TestJobs.Several;
import io.gator.routing.TestJobs.Throwing;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What becomes of the value that a handler returns.
 */
class ResultsTests {

	private final ArgsCodec codec = TestJobs.codec();

	private final Route route = TestJobs.route(OfUntyped.class, this.codec);

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
		assertThat(this.codec.encodeResult(this.route, new Item("t", 1), 100))
			.isEqualTo("{\"tenant\":\"t\",\"amount\":1}");
		assertThat(this.codec.decodeResult("{\"tenant\":\"t\",\"amount\":1}", Item.class)).isEqualTo(new Item("t", 1));
		assertThat(this.codec.encodeResult(this.route, null, 100)).isNull();
		assertThat(this.codec.encodeResult(this.route, "x".repeat(98), 100)).hasSize(100);
		assertThat(this.codec.encodeResult(this.route, "é".repeat(50), 100)).isNull();
		assertThat(this.codec.encodeResult(this.route, "\ud83d", 100)).isNull();
		assertThat(this.codec.encodeResult(this.route, new Throwing(), 100)).isNull();
		Throwable thrown = catchThrowable(() -> this.codec.decodeResult("\"" + TestJobs.SECRET + "\"", Item.class));
		assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessageContaining(Item.class.getName());
		assertThat(TestJobs.textOf(thrown)).doesNotContain(TestJobs.SECRET);
	}

	@Test
	void aResultWhoseGetterThrowsAnErrorIsNotKept() {
		for (Error error : List.of(new NoClassDefFoundError("gone"), new AssertionError("never"),
				new ExceptionInInitializerError(new IllegalStateException("no")), new Error("any"),
				new StackOverflowError())) {
			assertThat(this.codec.encodeResult(this.route, new Broken(error), 100)).as(error.toString()).isNull();
		}
	}

	@Test
	void aResultWhoseGetterThrowsWhatCannotBeAskedForItsCauseIsNotKept() {
		assertThat(this.codec.encodeResult(this.route, new Broken(new Mute()), 100)).isNull();
	}

	@Test
	void anErrorOfTheVirtualMachineIsNotTakenForOneOfTheResult() {
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> this.codec.encodeResult(this.route, new Broken(new InternalError("not really")), 100));
	}

	@Test
	void whyAResultIsNotKeptIsSaidWithoutIt() {
		Logger logger = (Logger) LoggerFactory.getLogger(ArgsCodec.class);
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		logger.addAppender(lines);
		logger.setLevel(Level.DEBUG);
		try {
			this.codec.encodeResult(this.route, TestJobs.SECRET.repeat(100), 100);
			this.codec.encodeResult(this.route, TestJobs.SECRET + "\ud83d", 100);
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
	void theElementsOfAResultKeepTheIdsOfTheirTypes() {
		Route shapes = TestJobs.route(ReturnsShapes.class, this.codec);
		List<Shape> result = List.of(new Circle(1), new Square(2));
		String json = this.codec.encodeResult(shapes, result, 100);
		assertThat(json).isNotNull();
		assertThat(this.codec.decodeResult(json, Shape[].class)).containsExactly(new Circle(1), new Square(2));
		assertThat(this.codec.encodeNext("Elsewhere", shapes, result)).isEqualTo("[" + json + "]");
		assertThat(this.codec.encodeNext("Elsewhere", shapes, new Circle(1)))
			.isEqualTo("[{\"type\":\"circle\",\"radius\":1}]");
	}

	@JsonTypeInfo(use = Id.NAME, property = "type")
	@JsonSubTypes({ @Type(name = "circle", value = Circle.class), @Type(name = "square", value = Square.class) })
	interface Shape {

	}

	record Circle(int radius) implements Shape {

	}

	record Square(int side) implements Shape {

	}

	@Job
	static class ReturnsShapes {

		List<Shape> handle() {
			return List.of();
		}

	}

}
