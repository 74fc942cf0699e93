package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.gator.worker.Execution.Stop;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which executions a cancellation stops that a beat has brought.
 */
class CancellationsTests {

	private static final long FIVE_SECONDS = TimeUnit.SECONDS.toNanos(5);

	private final InFlight inFlight = new InFlight();

	private final Cancellations cancellations = new Cancellations(this.inFlight);

	@Test
	void aJobThatIsInFlightIsStoppedAndNoOther() {
		TestExecution cancelled = new TestExecution(1);
		TestExecution other = new TestExecution(2);
		this.inFlight.add(List.of(cancelled, other));
		this.cancellations.heard(Set.of(1L, 3L), 0);
		assertThat(cancelled.stopReason()).isEqualTo(Stop.CANCELLED);
		assertThat(other.stopReason()).isNull();
	}

	@Test
	void aBatchGoesOnWhateverItemOfItIsCancelled() {
		TestExecution batch = new TestExecution(1, System.nanoTime(), 2) {

			@Override
			Collection<Long> ids() {
				return List.of(1L, 2L);
			}

		};
		this.inFlight.add(List.of(batch));
		this.cancellations.heard(Set.of(1L, 2L), 0);
		assertThat(batch.stopReason()).as("its handler has them all").isNull();
	}

	@Test
	void aCancellationThatIsHeardBeforeItsJobIsTakenOnIsForThatAttemptOnly() {
		this.cancellations.heard(Set.of(1L), 0);
		TestExecution early = new TestExecution(1);
		this.cancellations.apply(List.of(early), FIVE_SECONDS);
		assertThat(early.stopReason()).isEqualTo(Stop.CANCELLED);
		TestExecution later = new TestExecution(1);
		this.cancellations.apply(List.of(later), FIVE_SECONDS);
		assertThat(later.stopReason()).isNull();
	}

	@Test
	void aJobThatIsTakenOnLongAfterItsCancellationWasRetriedSince() {
		this.cancellations.heard(Set.of(1L), 0);
		TestExecution later = new TestExecution(1);
		this.cancellations.apply(List.of(later), FIVE_SECONDS + 1);
		assertThat(later.stopReason()).isNull();
	}

}
