package io.gator.worker;

import java.util.Collections;
import java.util.stream.Stream;

import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimSizeTests {

	private static final int MANY = 4_000;

	private final ClaimSize size = new ClaimSize(8_000_000);

	static Stream<Throwable> tooMuch() {
		return Stream.of(new OutOfMemoryError(), StoreExceptions.outOfMemory(), StoreExceptions.timeout());
	}

	@ParameterizedTest
	@MethodSource("tooMuch")
	void aClaimThatWasTooMuchIsFollowedByOneOfAnEighth(Throwable failure) {
		this.size.failed(MANY, failure);
		assertThat(this.size.limit(MANY)).isEqualTo(500);
		assertThat(this.size.limit(10)).as("what was not too much").isEqualTo(10);
		this.size.failed(500, failure);
		this.size.failed(62, failure);
		this.size.failed(7, failure);
		assertThat(this.size.limit(MANY)).isOne();
		this.size.failed(1, failure);
		assertThat(this.size.limit(MANY)).as("one at a time").isOne();
	}

	@Test
	void claimsThatBringAllThatTheyAskForDoubleTheNextOneUntilItIsWhatItWas() {
		this.size.failed(MANY, new OutOfMemoryError());
		for (int expected : new int[] { 500, 1_000, 2_000, MANY, MANY }) {
			assertThat(this.size.limit(MANY)).isEqualTo(expected);
			answered(expected, expected, 10);
		}
		for (int claims = 0; claims < 40; claims++) {
			answered(MANY, MANY, 10);
		}
		assertThat(this.size.limit(MANY)).isEqualTo(MANY);
	}

	@Test
	void aClaimThatFoundLessDoesNotTellWhetherMoreWouldFit() {
		this.size.failed(MANY, new OutOfMemoryError());
		answered(500, 499, 10);
		assertThat(this.size.limit(MANY)).isEqualTo(500);
	}

	@Test
	void otherFailuresHaveNothingToDoWithTheSize() {
		this.size.failed(MANY, StoreExceptions.answerLost());
		this.size.failed(MANY, StoreExceptions.configuration());
		this.size.failed(MANY, new IllegalStateException());
		assertThat(this.size.limit(MANY)).isEqualTo(MANY);
	}

	@Test
	void onlyAsManyJobsFitAsTheirArgumentsTakeAsBytesAndAsText() {
		answered(1, 1, 1_000);
		assertThat(this.size.fitting()).isEqualTo(4_000);
		assertThat(this.size.limit(MANY + 1)).as("nothing has failed").isEqualTo(MANY + 1);
		answered(1, 1, 8_000_000);
		assertThat(this.size.fitting()).isZero();
	}

	@Test
	void largerJobsCountAtOnceAndSmallerOnesBitByBit() {
		answered(10, 10, 4_000);
		assertThat(this.size.fitting()).isEqualTo(1_000);
		answered(10, 10, 0);
		assertThat(this.size.fitting()).isEqualTo(2_000);
		answered(10, 0, 0);
		assertThat(this.size.fitting()).as("nothing was claimed").isEqualTo(2_000);
		answered(10, 10, 40_000);
		assertThat(this.size.fitting()).isEqualTo(100);
	}

	@Test
	void afterAClaimThatDidNotFitNoneAsksForMoreThanFits() {
		this.size.failed(MANY, new OutOfMemoryError());
		answered(500, 10, 40_000);
		assertThat(this.size.limit(MANY)).isEqualTo(100);
		answered(100, 100, 40_000);
		assertThat(this.size.limit(MANY)).isEqualTo(100);
		answered(100, 100, 8_000_000);
		assertThat(this.size.limit(MANY)).as("one at least").isOne();
	}

	private void answered(int asked, int brought, int length) {
		this.size.answered(asked,
				Collections.nCopies(brought, TestClaimedJob.of(1, "Work").args("x".repeat(length)).get()));
	}

}
