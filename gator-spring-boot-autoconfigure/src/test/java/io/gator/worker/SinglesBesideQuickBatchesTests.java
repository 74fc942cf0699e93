package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Behind a backlog of items it takes long to find that there is no single job. Batches
 * that end at once do not wait for that each time, and single jobs are found all the
 * same.
 */
class SinglesBesideQuickBatchesTests {

	private static final Map<String, Integer> QUEUES = Map.of("default", 1);

	private static final PoolSettings TWO_SLOTS = TestSettings.slots(2)
		.queues(QUEUES)
		.pollInterval(Duration.ofHours(1))
		.get();

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long PAUSE_NANOS = Marks.SWEEP_SHARE * LOOK_NANOS;

	private final Items items = new Items();

	@Test
	void singleJobsAreNotLookedForAfterEachBatch() {
		claims((claims) -> {
			for (int batch = 0; batch < 10; batch++) {
				claim(claims, IdleLook.Wanted.BOTH);
			}
			assertThat(this.items.batches).isEqualTo(10);
			assertThat(this.items.looks).as("one slow look may have many reasons").isEqualTo(2);
		});
	}

	@Test
	void singleJobsThatWereLeftOutAreLookedForWhenThePauseIsOver() {
		claims((claims) -> {
			claim(claims, IdleLook.Wanted.BOTH);
			claim(claims, IdleLook.Wanted.BOTH);
			assertThat(claims.untilSingles(this.items.now())).as("nothing was left out").isEqualTo(Long.MAX_VALUE);
			claim(claims, IdleLook.Wanted.BOTH);
			assertThat(claims.untilSingles(this.items.now())).isEqualTo(PAUSE_NANOS);
			this.items.pass(PAUSE_NANOS);
			assertThat(claims.untilSingles(this.items.now())).isZero();
			claim(claims, new IdleLook.Wanted(false, false));
			assertThat(this.items.looks).isEqualTo(3);
			assertThat(claims.untilSingles(this.items.now())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void singleJobsAreLookedForWithEachWordWhileNoBatchFollows() {
		claims((claims) -> {
			claim(claims, IdleLook.Wanted.BOTH);
			this.items.left = 0;
			claim(claims, IdleLook.Wanted.BOTH);
			claim(claims, IdleLook.Wanted.BOTH);
			assertThat(this.items.looks).isEqualTo(3);
		});
	}

	@Test
	void noSingleJobIsLookedForBecauseABatchHasEnded() {
		claims((claims) -> {
			claim(claims, new IdleLook.Wanted(false, true));
			assertThat(this.items.batches).isOne();
			assertThat(this.items.looks).isZero();
		});
	}

	@Test
	void thePollerLooksForSingleJobsThatWereLeftOutWithoutAnotherWord() throws Exception {
		try (TestPoller poller = new TestPoller(TWO_SLOTS, this.items, Single.class, Gathered.class)) {
			for (int batch = 0; batch < 3; batch++) {
				poller.wake(List.of("default"));
				poller.runOnce();
				poller.runClaimed();
			}
			assertThat(this.items.batches).isEqualTo(3);
			assertThat(this.items.looks).as("with the third one single jobs are left out").isEqualTo(2);
			assertThat(poller.runOnce()).isEqualTo(PAUSE_NANOS);
			this.items.pass(PAUSE_NANOS);
			poller.runOnce();
			assertThat(this.items.looks).isEqualTo(3);
		}
	}

	private void claims(Consumer<Claims> test) {
		try (TestServices services = new TestServices(this.items, Single.class, Gathered.class)) {
			Reach reach = new Reach(TWO_SLOTS.name(), this.items);
			SingleClaims singles = new SingleClaims(services.get(), TWO_SLOTS, reach, new Selection(TWO_SLOTS),
					(nanos) -> {
					}, this.items::now);
			BatchLines lines = new BatchLines(this.items, services.get().routes(), reach, TWO_SLOTS::concurrency,
					() -> {
					}, this.items::now);
			BatchClaims batches = new BatchClaims(services.get(), TWO_SLOTS.name(), lines, this.items::now);
			Claims claims = new Claims(singles, batches, (worker, executions) -> executions
				.forEach((execution) -> execution.release(TestSettlements.ignored())), this.items::now);
			test.accept(claims);
		}
	}

	private static void claim(Claims claims, IdleLook.Wanted wanted) {
		claims.claim(1, 2, wanted, QUEUES);
	}

	/** A backlog of items, and no single job behind it. */
	private static final class Items extends FakeJobStore {

		private int left = 100;

		private int batches;

		private int looks;

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			this.looks++;
			pass(LOOK_NANOS);
			return List.of();
		}

		@Override
		public List<List<ClaimedJob>> claimBatches(BatchRequest request) {
			if (this.left == 0) {
				return List.of();
			}
			this.left--;
			return List.of(List.of(TestClaimedJob.of(++this.batches, "Gathered").args("[0]").get()));
		}

	}

	@Job
	static class Single {

		void handle() {
		}

	}

	@Job
	@Buffered(size = 1, maxWait = "0s", maxConcurrent = 1)
	static class Gathered {

		void handle(List<Integer> numbers) {
		}

	}

}
