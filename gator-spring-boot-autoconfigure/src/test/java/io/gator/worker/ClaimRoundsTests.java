package io.gator.worker;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.gator.Job;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When a claim asks again for what a queue has left of its room.
 */
class ClaimRoundsTests {

	private static final int SLOTS = 10;

	private final CountedQueues table = new CountedQueues();

	@Test
	void whatTheFirstRoundOfAClaimHasBroughtIsTakenThoughTheSecondFails() {
		this.table.waiting = Map.of("big", 100, "small", 2);
		this.table.onClaim = () -> {
			if (this.table.totals.size() == 1) {
				this.table.failures.add(StoreExceptions.passing());
			}
		};
		try (TestPoller poller = poller(Map.of("big", 1, "small", 1))) {
			assertThatExceptionOfType(StoreException.class).isThrownBy(poller::runOnce);
			assertThat(this.table.totals).as("what one leaves is asked of the other").containsExactly(SLOTS, 3);
			assertThat(poller.waiting()).isEqualTo(5 + 2);
		}
	}

	@Test
	void whatMostQueuesCouldFillOfTheLastHalfOfTheRoomIsForTheNextClaim() {
		this.table.waiting = Map.of("big", 100, "large", 100, "small", 1);
		try (TestPoller poller = poller(Map.of("big", 1, "large", 1, "small", 1))) {
			assertThat(poller.runOnce()).as("goes on at once").isZero();
			assertThat(this.table.totals).hasSize(1);
			int left = SLOTS - poller.waiting();
			assertThat(left).isPositive();
			poller.runOnce();
			assertThat(this.table.totals).containsExactly(SLOTS, left);
			assertThat(poller.waiting()).isEqualTo(SLOTS);
		}
	}

	@Test
	void whatMostQueuesCouldFillOfMoreThanHalfOfTheRoomIsAskedOfThemAtOnce() {
		this.table.waiting = Map.of("big", 100, "large", 100, "small", 1);
		try (TestPoller poller = poller(Map.of("big", 1, "large", 1, "small", 8))) {
			poller.runOnce();
			assertThat(this.table.totals).containsExactly(SLOTS, SLOTS - 3);
			assertThat(poller.waiting()).isEqualTo(SLOTS);
		}
	}

	@Test
	void whatOneOfManyQueuesCanFillOfTheRoomIsAskedOfThatQueueAlone() {
		this.table.waiting = Map.of("big", 100, "a", 1, "b", 1, "c", 1, "d", 1);
		try (TestPoller poller = poller(Map.of("big", 1, "a", 1, "b", 1, "c", 1, "d", 1))) {
			poller.runOnce();
			assertThat(this.table.totals).containsExactly(SLOTS, 4);
			assertThat(poller.waiting()).isEqualTo(SLOTS);
		}
	}

	@Test
	void aClaimEndsThoughJobsComeAllTheTime() {
		letAJobComeBeforeEachRound();
		try (TestPoller poller = poller(hundredQueues())) {
			poller.runOnce();
			assertThat(this.table.totals).as("all queues, and the one that may have more").hasSize(2);
			assertThat(poller.waiting()).isOne();
		}
	}

	@Test
	void aClaimLooksBehindItsMarksOnceThoughJobsComeAllTheTime() {
		this.table.waiting = Map.of("q7", SLOTS);
		try (TestPoller poller = poller(hundredQueues())) {
			assertThat(poller.runOnce()).as("goes on at once").isZero();
			poller.startClaimed();
			IntStream.range(0, SLOTS).forEach((job) -> poller.finished());
			letAJobComeBeforeEachRound();
			poller.runOnce();
			assertThat(this.table.totals).as("all queues and the one with more, before their marks and behind them")
				.hasSize(4);
			assertThat(this.table.starts.get("q7")).as("behind its mark").isZero();
		}
	}

	private void letAJobComeBeforeEachRound() {
		this.table.totals.clear();
		this.table.waiting = new HashMap<>(this.table.waiting);
		this.table.onClaim = () -> this.table.waiting.put("q" + (10 + this.table.totals.size()), 1);
	}

	private static Map<String, Integer> hundredQueues() {
		return IntStream.range(0, 100).boxed().collect(Collectors.toMap((n) -> "q" + n, (n) -> 1));
	}

	private TestPoller poller(Map<String, Integer> weights) {
		return new TestPoller(TestSettings.slots(SLOTS).queues(weights).get(), this.table, Work.class);
	}

	@Job
	static class Work {

		void handle() {
		}

	}

}
