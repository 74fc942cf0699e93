package io.gator.routing;

import java.util.List;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mistakes in buffered jobs that fail start-up.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvalidBatchTests {

	@Test
	void aBatchSizeOutOfRangeIsRefused() {
		Failure.of(SizeZero.class)
			.describes(SizeZero.class.getName(), "The size in @Buffered", "0")
			.advises("1 to 10000");
		Failure.of(SizeHuge.class).describes(SizeHuge.class.getName(), "10001");
	}

	@Test
	void theSmallestAndTheLargestBatchesAreAllowed() {
		assertThat(TestJobs.route(Smallest.class).buffered().size()).isOne();
		assertThat(TestJobs.route(Smallest.class).buffered().maxConcurrent()).isOne();
		assertThat(TestJobs.route(Largest.class).buffered().size()).isEqualTo(10_000);
	}

	@Test
	void aJobThatMayRunNoBatchAtAllIsRefused() {
		Failure.of(NotConcurrent.class)
			.describes(NotConcurrent.class.getName(), "maxConcurrent", "0")
			.advises("1 or more");
	}

	@Test
	void aMaximalWaitThatIsNoDurationIsRefused() {
		Failure.of(BadMaxWait.class).describes(BadMaxWait.class.getName(), "The maxWait", "'a while'");
		Failure.of(NegativeMaxWait.class).describes("The maxWait", "'-1s'", "negative");
	}

	@Test
	void aMaximalWaitOverAnHourIsAllowedButWarnedOf(CapturedOutput output) {
		TestJobs.context(LongMaxWait.class).close();
		assertThat(output.getOut()).contains("WARN", "The maxWait", LongMaxWait.class.getName(), "PT1H1S");
		TestJobs.context(HourMaxWait.class).close();
		assertThat(output.getOut()).doesNotContain(HourMaxWait.class.getName());
	}

	@Test
	void aBatchKeyThatIsNoPropertyIsRefused() {
		Failure.of(BadKey.class)
			.describes(BadKey.class.getName(), "'tenantId'", Item.class.getName())
			.advises("Name a property");
	}

	@Test
	void aBufferedJobThatTakesNoItemsIsRefused() {
		Failure.of(BufferedSingle.class)
			.describes(BufferedSingle.class.getName(), "@Buffered", "handle(", "neither one List nor one JobBatch")
			.advises("handle(List<E>)");
		Failure.of(BufferedTwo.class).describes(BufferedTwo.class.getName(), "neither one List");
	}

	@Test
	void aBatchInAJobThatIsNotBufferedIsRefused() {
		Failure.of(BatchOnly.class)
			.describes(BatchOnly.class.getName(), "JobBatch", "not buffered")
			.advises("@Buffered");
	}

	@Test
	void aBufferedJobThatIsTransactionalIsRefused() {
		Failure.of(BufferedTransactional.class)
			.describes(BufferedTransactional.class.getName(), "both @Buffered and transactional")
			.advises("Choose one");
	}

	record Item(int id) {

	}

	@Job
	@Buffered(size = 1, maxConcurrent = 1)
	static class Smallest {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(size = 10_000)
	static class Largest {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(size = 0)
	static class SizeZero {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(size = 10_001)
	static class SizeHuge {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxConcurrent = 0)
	static class NotConcurrent {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "a while")
	static class BadMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "-1s")
	static class NegativeMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "3601s")
	static class LongMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "1h")
	static class HourMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(key = "tenantId")
	static class BadKey {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered
	static class BufferedSingle {

		void handle(Item item) {
		}

	}

	@Job
	@Buffered
	static class BufferedTwo {

		void handle(List<Item> items, String other) {
		}

	}

	@Job
	static class BatchOnly {

		void handle(JobBatch<Item> items) {
		}

	}

	@Job(transactional = true)
	@Buffered
	static class BufferedTransactional {

		void handle(List<Item> items) {
		}

	}

}
