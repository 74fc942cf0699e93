package io.gator.store;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RescuePauseTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final RescuePause pause = new RescuePause();

	@Test
	void whereNothingCanBeFreedRescuesAreTriedEverLessOften() {
		assertThat(this.pause.holds(List.of(1L), 0)).isFalse();
		long now = 0;
		for (long delay : List.of(1, 2, 4, 8, 16, 30, 30)) {
			this.pause.ended(List.of(1L), false, now);
			now += delay * SECOND;
			assertThat(this.pause.holds(List.of(1L), now - 1)).isTrue();
			assertThat(this.pause.holds(List.of(1L), now)).isFalse();
		}
	}

	@Test
	void afterARescueThatHasFreedSomethingTheNextDoesNotWait() {
		this.pause.ended(List.of(1L), false, 0);
		this.pause.ended(List.of(1L), false, SECOND);
		this.pause.ended(List.of(1L), true, 3 * SECOND);
		assertThat(this.pause.holds(List.of(1L), 3 * SECOND)).isFalse();
		this.pause.ended(List.of(1L), false, 3 * SECOND);
		assertThat(this.pause.holds(List.of(1L), 4 * SECOND)).as("the pause begins anew").isFalse();
	}

	@Test
	void aPoolThatHasDiedSinceDoesNotWait() {
		this.pause.ended(List.of(1L), false, 0);
		assertThat(this.pause.holds(List.of(1L, 2L), 0)).isFalse();
	}

	@Test
	void ofSeveralPoolsThoseThatAreLeftWait() {
		this.pause.ended(List.of(1L, 2L), false, 0);
		assertThat(this.pause.holds(List.of(2L), 0)).isTrue();
	}

	@Test
	void aPoolThatHasComeBackAndDiedAgainDoesNotWait() {
		this.pause.ended(List.of(1L, 2L), false, 0);
		assertThat(this.pause.holds(List.of(2L), 0)).isTrue();
		assertThat(this.pause.holds(List.of(1L, 2L), 0)).isFalse();
	}

}
