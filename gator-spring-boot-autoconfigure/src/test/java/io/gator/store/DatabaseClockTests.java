package io.gator.store;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DatabaseClockTests {

	private static final OffsetDateTime NOON = OffsetDateTime.parse("2026-03-04T12:00:00Z");

	private final AtomicLong nanos = new AtomicLong();

	private final DatabaseClock clock = new DatabaseClock(this.nanos::get);

	@BeforeEach
	void look() {
		this.clock.saw(NOON, 0);
	}

	/** Time passes, an answer is waited for, and it brings a time. */
	private void saw(Duration later, Duration answer, Duration shown) {
		long asked = this.nanos.addAndGet(later.toNanos());
		this.nanos.addAndGet(answer.toNanos());
		this.clock.saw(NOON.plus(shown), asked);
	}

	@Test
	void timeThatHasPassedIsNoStepOfTheClock() {
		saw(Duration.ofHours(3), Duration.ZERO, Duration.ofHours(3));
		assertThat(this.clock.step()).isNull();
		assertThat(this.clock.withoutStep()).isNull();
	}

	@Test
	void aSlowAnswerAndAClockThatIsBeingCorrectedAreNoStep() {
		saw(Duration.ofSeconds(1), Duration.ofSeconds(8), Duration.ofSeconds(9));
		saw(Duration.ofSeconds(1), Duration.ofSeconds(8), Duration.ofSeconds(11));
		saw(Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(19));
		saw(Duration.ofHours(1), Duration.ZERO, Duration.ofHours(1).plusSeconds(21));
		assertThat(this.clock.step()).isNull();
	}

	@Test
	void aStepOfTheClockIsAfterAllThatWasBeforeIt() {
		saw(Duration.ofSeconds(10), Duration.ZERO, Duration.ofSeconds(70));
		assertThat(this.clock.step()).isBetween(NOON.plusSeconds(10), NOON.plusSeconds(12));
	}

	@Test
	void withoutTheStepTheClockGoesOnAsBefore() {
		saw(Duration.ofSeconds(10), Duration.ZERO, Duration.ofSeconds(70));
		saw(Duration.ofSeconds(20), Duration.ZERO, Duration.ofSeconds(90));
		assertThat(this.clock.withoutStep()).isBetween(NOON.plusSeconds(30), NOON.plusSeconds(32));
	}

	@Test
	void aClockThatIsPutBackBeforeTheStepHasNone() {
		saw(Duration.ofSeconds(10), Duration.ZERO, Duration.ofSeconds(70));
		saw(Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(11));
		assertThat(this.clock.step()).isNull();
		assertThat(this.clock.withoutStep()).isNull();
	}

}
