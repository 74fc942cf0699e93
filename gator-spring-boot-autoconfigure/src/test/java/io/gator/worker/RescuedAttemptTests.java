package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.routing.Route;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of jobs whose outcome could not be taken when they had ended: whoever
 * rescues them can still settle them.
 */
class RescuedAttemptTests {

	private final TestServices services = new TestServices(new FakeJobStore(), Single.class, Gathered.class);

	private final Full settlements = new Full();

	@AfterEach
	void close() {
		this.services.close();
	}

	@Test
	void aJobWhoseOutcomeFindsNoMemoryGoesBack() {
		assertIsRescued(new Attempt(this.services.get(), job(1, Single.class), route(Single.class), 1, 0));
	}

	@Test
	void eachItemOfABatchWhoseOutcomeFindsNoMemoryGoesBack() {
		assertIsRescued(new Batch(this.services.get(), List.of(job(1, Gathered.class), job(2, Gathered.class)),
				route(Gathered.class), 1, 0, new UncountedRun()));
	}

	private void assertIsRescued(Execution execution) {
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> execution.run(this.settlements));
		this.settlements.hasMemory = true;
		execution.release(this.settlements);
		assertThat(this.settlements.settled).extracting(Settlement::id).containsExactlyElementsOf(execution.ids());
		execution.release(this.settlements);
		assertThat(this.settlements.settled).as("once").hasSize(execution.size());
	}

	private static ClaimedJob job(long id, Class<?> type) {
		return TestClaimedJob.of(id, type.getSimpleName()).args("[1]").get();
	}

	private Route route(Class<?> type) {
		return Objects.requireNonNull(this.services.get().routes().find(type.getSimpleName()));
	}

	/** Takes nothing as long as there is no memory. */
	private static final class Full extends TestSettlements {

		final List<Settlement> settled = new ArrayList<>();

		boolean hasMemory;

		@Override
		public void settle(Execution execution, Settlement settlement, Runnable landed) {
			if (!this.hasMemory) {
				throw new OutOfMemoryError();
			}
			this.settled.add(settlement);
		}

	}

	@Job
	static class Single {

		void handle(Integer number) {
		}

	}

	@Job
	@Buffered
	static class Gathered {

		void handle(List<Integer> numbers) {
		}

	}

}
