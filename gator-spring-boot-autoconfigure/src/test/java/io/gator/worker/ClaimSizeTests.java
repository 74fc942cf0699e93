package io.gator.worker;

import java.util.stream.Stream;

import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimSizeTests {

	private static final int MANY = 4_000;

	private final ClaimSize size = new ClaimSize();

	static Stream<Throwable> tooMuch() {
		return Stream.of(new OutOfMemoryError(), StoreExceptions.outOfMemory(), StoreExceptions.timeout());
	}

	@ParameterizedTest
	@MethodSource("tooMuch")
	void whatWasTooMuchIsFollowedByAnEighth(Throwable failure) {
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
			this.size.answered(expected, expected);
		}
		for (int claims = 0; claims < 40; claims++) {
			this.size.answered(MANY, MANY);
		}
		assertThat(this.size.limit(MANY)).isEqualTo(MANY);
	}

	@Test
	void aClaimThatFoundLessDoesNotTellWhetherMoreWouldFit() {
		this.size.failed(MANY, new OutOfMemoryError());
		this.size.answered(500, 499);
		assertThat(this.size.limit(MANY)).isEqualTo(500);
	}

	@Test
	void otherFailuresHaveNothingToDoWithTheSize() {
		this.size.failed(MANY, StoreExceptions.answerLost());
		this.size.failed(MANY, StoreExceptions.configuration());
		this.size.failed(MANY, new IllegalStateException());
		assertThat(this.size.limit(MANY)).isEqualTo(MANY);
	}

}
