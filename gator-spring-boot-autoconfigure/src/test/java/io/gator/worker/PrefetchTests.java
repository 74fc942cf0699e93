package io.gator.worker;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PrefetchTests {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private final Prefetch prefetch = new Prefetch(() -> 10, 50 * MILLI);

	private void ran(int jobs, long nanos) {
		for (int i = 0; i < jobs; i++) {
			this.prefetch.ran(nanos);
		}
	}

	@Test
	void nothingIsHeldAsLongAsNothingIsKnown() {
		assertThat(this.prefetch.target()).isZero();
	}

	@Test
	void asMuchIsHeldAsAllSlotsWorkOffInTheTimeSet() {
		ran(7, 2 * MILLI);
		assertThat(this.prefetch.target()).isEqualTo(250);
		assertThat(this.prefetch.target()).as("without news").isEqualTo(250);
	}

	@Test
	void asMuchIsHeldAsTheMeanTimeOfTheJobsAllows() {
		ran(3, MILLI);
		ran(1, 5 * MILLI);
		assertThat(this.prefetch.target()).isEqualTo(250);
	}

	@Test
	void longJobsAreNotHeldAtAll() {
		ran(5, 1000 * MILLI);
		assertThat(this.prefetch.target()).isZero();
	}

	@Test
	void tinyJobsAreHeldByTheThousandAndNoMore() {
		ran(1000, 10);
		assertThat(this.prefetch.target()).isEqualTo(Prefetch.MAX_JOBS);
		Prefetch immeasurable = new Prefetch(() -> 10, 50 * MILLI);
		immeasurable.ran(0);
		assertThat(immeasurable.target()).isEqualTo(Prefetch.MAX_JOBS);
	}

	@Test
	void halfOfWhatWasKnownIsForgottenEachTime() {
		ran(100, MILLI);
		assertThat(this.prefetch.target()).isEqualTo(500);
		ran(1, 3 * MILLI);
		assertThat(this.prefetch.target()).isEqualTo(250);
		ran(1, 8 * MILLI);
		assertThat(this.prefetch.target()).isEqualTo(100);
	}

	@Test
	void jobsThatAreStuckCountBeforeTheyEnd() {
		ran(1000, MILLI / 10);
		assertThat(this.prefetch.target()).isEqualTo(Prefetch.MAX_JOBS);
		this.prefetch.tookAtLeast(1000 * MILLI);
		assertThat(this.prefetch.target()).isZero();
		this.prefetch.tookAtLeast(MILLI);
		assertThat(this.prefetch.target()).as("they took no less").isZero();
	}

	@Test
	void whereClaimsTakeLongAsMuchIsHeldAsLastsForTwoOfThem() {
		ran(1, 2 * MILLI);
		this.prefetch.claimTook(40 * MILLI);
		assertThat(this.prefetch.target()).as("one slow claim may be a chance").isEqualTo(250);
		for (int claim = 0; claim < 20; claim++) {
			this.prefetch.claimTook(40 * MILLI);
		}
		assertThat(this.prefetch.target()).isBetween(399, 400);
		for (int claim = 0; claim < 20; claim++) {
			this.prefetch.claimTook(20 * MILLI);
		}
		assertThat(this.prefetch.target()).isEqualTo(250);
	}

	@Test
	void howeverLongClaimsTakeNothingIsHeldForSecondsOrWhereNothingIsToBe() {
		Prefetch none = new Prefetch(() -> 10, 0);
		for (Prefetch each : List.of(this.prefetch, none)) {
			each.ran(10 * MILLI);
			each.claimTook(10_000 * MILLI);
		}
		assertThat(this.prefetch.target()).isEqualTo(500);
		assertThat(none.target()).isZero();
	}

	@Test
	void noTimeSetMeansNothingHeld() {
		Prefetch none = new Prefetch(() -> 10, 0);
		none.ran(10);
		assertThat(none.target()).isZero();
	}

}
