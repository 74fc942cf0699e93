package io.gator.worker;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long nobody looks again behind a look for nothing.
 */
class LookPauseTests {

	private static final long LEAST = 100;

	private static final long SLOW = 10;

	private final LookPause pause = new LookPause(LEAST, SLOW);

	private final long start = System.nanoTime();

	@Test
	void aPauseIsOverBeforeItsFirstLook() {
		assertThat(this.pause.until(this.start)).isZero();
	}

	@Test
	void oneSlowLookIsFollowedByTheShortestPause() {
		assertThat(pauseBehind(1000)).isEqualTo(LEAST);
	}

	@Test
	void behindSeveralSlowLooksThePauseIsAShareOfTheShorterOne() {
		pauseBehind(1000);
		assertThat(pauseBehind(3000)).isEqualTo(Marks.SWEEP_SHARE * 1000);
		assertThat(pauseBehind(2000)).isEqualTo(Marks.SWEEP_SHARE * 2000);
	}

	@Test
	void aLookThatIsNotSlowIsFollowedByTheShortestPauseAndSoIsTheNextOne() {
		pauseBehind(1000);
		assertThat(pauseBehind(SLOW)).isEqualTo(LEAST);
		assertThat(pauseBehind(1000)).isEqualTo(LEAST);
	}

	@Test
	void aLookThatWasBrokenOffIsFollowedByALongPauseAtOnce() {
		this.pause.beginBrokenOff(this.start, this.start + 1000);
		assertThat(this.pause.until(this.start + 1000)).isEqualTo(Marks.SWEEP_SHARE * 1000);
		assertThat(this.pause.until(this.start + 1000 + Marks.SWEEP_SHARE * 1000)).isZero();
	}

	@Test
	void aShortPauseIsAsLongAsTheLook() {
		this.pause.beginShort(this.start, this.start + 7);
		assertThat(this.pause.until(this.start + 7)).isEqualTo(7);
	}

	private long pauseBehind(long look) {
		this.pause.begin(this.start, this.start + look);
		return this.pause.until(this.start + look);
	}

}
