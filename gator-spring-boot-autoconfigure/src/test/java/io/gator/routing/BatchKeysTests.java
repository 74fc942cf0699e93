package io.gator.routing;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gator.Buffered;
import io.gator.Job;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The key of a batch where the type of the items does not tell what they have.
 */
class BatchKeysTests {

	@ParameterizedTest
	@ValueSource(classes = { OfJson.class, OfSealed.class, OfUnwrapped.class })
	void theKeyOfABatchMayBeAPropertyThatOnlyTheItemsKnow(Class<?> job) throws Exception {
		try (AnnotationConfigApplicationContext context = TestJobs.context(job)) {
			Route route = context.getBean(Routes.class).require(job);
			Object item = (job == OfJson.class) ? JsonMapper.shared().readTree("{\"tenant\":\"t\"}")
					: (job == OfSealed.class) ? new Paid("t") : new Unwrapped();
			ArgsCodec codec = context.getBean(ArgsCodec.class);
			assertThat(codec.batchKey(route, codec.encode(route, new Object[] { item }))).isEqualTo("t");
		}
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(value = Paid.class, name = "paid"))
	sealed interface Event permits Paid {

		String tenant();

	}

	record Paid(String tenant) implements Event {
	}

	static class Unwrapped {

		@JsonUnwrapped
		public Inner inner = new Inner();

	}

	static class Inner {

		public String tenant = "t";

	}

	@Job
	@Buffered(key = "tenant")
	static class OfJson {

		void handle(List<JsonNode> items) {
		}

	}

	@Job
	@Buffered(key = "tenant")
	static class OfSealed {

		void handle(List<Event> items) {
		}

	}

	@Job
	@Buffered(key = "tenant")
	static class OfUnwrapped {

		void handle(List<Unwrapped> items) {
		}

	}

}
