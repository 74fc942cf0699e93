package io.gator.worker;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long nobody looks again behind a look for nothing.
 */
class ClaimPauseTests {

	private static final long LEAST = 100;

	private static final long SLOW = 10;

	private final ClaimPause pause = new ClaimPause(LEAST, SLOW);

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
		this.pause.beginBrokenOff(new Elapsed(this.start, this.start + 1000));
		assertThat(this.pause.until(this.start + 1000)).isEqualTo(Marks.SWEEP_SHARE * 1000);
		assertThat(this.pause.until(this.start + 1000 + Marks.SWEEP_SHARE * 1000)).isZero();
	}

	@Test
	void behindWhatOthersTakeThePauseIsAboutAsLongAsTheLookAndNeverTheSameForAll() {
		Set<Long> pauses = new HashSet<>();
		for (int look = 0; look < 100; look++) {
			pauses.add(pauseBesideOthers(10));
			this.pause.brought();
		}
		assertThat(pauses).allMatch((nanos) -> nanos >= 10 && nanos <= 20).hasSizeGreaterThan(1);
	}

	@Test
	void whileOthersKeepItPausesGrowUpToTheShortestOneForNothing() {
		long longest = 0;
		for (int look = 0; look < 100; look++) {
			longest = Math.max(longest, pauseBesideOthers(1));
			assertThat(longest).isLessThanOrEqualTo(Math.min(LEAST, 2L << Math.min(look, 10)));
		}
		assertThat(longest).isGreaterThan(LEAST / 2);
		pauseBehind(1);
		assertThat(pauseBesideOthers(1)).as("nobody has kept it meanwhile").isLessThanOrEqualTo(2);
	}

	private long pauseBesideOthers(long look) {
		this.pause.beginContended(new Elapsed(this.start, this.start + look));
		return this.pause.until(this.start + look);
	}

	private long pauseBehind(long look) {
		this.pause.begin(new Elapsed(this.start, this.start + look));
		return this.pause.until(this.start + look);
	}

}
