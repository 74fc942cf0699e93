package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobTemplate;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Neither a backlog of buffered jobs nor one of single jobs keeps the others waiting.
 */
@FreshDatabase
class ClaimsTests {

	private static final PoolSettings ONE_SLOT = oneSlot().get();

	private static TestSettings oneSlot() {
		return TestSettings.slots(1).queues(Map.of("default", 1)).pollInterval(Duration.ofHours(1));
	}

	@Test
	void singleJobsForWhichBatchesHaveLeftNoRoomAreClaimedBeforeTheNextOnes() throws Exception {
		Backlog backlog = new Backlog();
		try (TestPoller poller = new TestPoller(ONE_SLOT, backlog, Single.class, Gathered.class)) {
			poller.runOnce();
			assertThat(backlog.claims).containsExactly("of batches");
			poller.runClaimed();
			poller.runOnce();
			assertThat(backlog.claims).containsExactly("of batches", "of 1 single", "of batches");
			poller.runClaimed();
			poller.runOnce();
			assertThat(backlog.claims).hasSize(5).endsWith("of 1 single", "of batches");
		}
	}

	@Test
	void singleJobsWhoseClaimTakesTooLongDoNotComeFirstTheNextTime() throws Exception {
		Backlog backlog = new Backlog();
		try (TestPoller poller = new TestPoller(ONE_SLOT, backlog, Single.class, Gathered.class)) {
			poller.runOnce();
			poller.runClaimed();
			backlog.failures.add(StoreExceptions.timeout());
			assertThatExceptionOfType(StoreException.class).isThrownBy(poller::runOnce);
			assertThat(backlog.claims).containsExactly("of batches", "of 1 single");
			poller.wake(List.of(""));
			poller.runOnce();
			assertThat(backlog.claims).hasSize(3).endsWith("of batches");
		}
	}

	@Test
	void singleJobsAreClaimedBeforeABatchThatDoesNotFitIntoMemoryOrCannotBeSortedByKeys() {
		for (RuntimeException failure : List.of(StoreExceptions.outOfMemory(),
				new IllegalStateException("Items cannot be given back"))) {
			Backlog backlog = new Backlog();
			try (TestPoller poller = new TestPoller(ONE_SLOT, backlog, Single.class, Gathered.class)) {
				backlog.batchFailure = failure;
				for (int claims = 0; claims < 2; claims++) {
					assertThatException().isThrownBy(poller::runOnce).isSameAs(failure);
					poller.wake(List.of(""));
				}
				assertThat(backlog.claims).containsExactly("of batches", "of 1 single", "of batches");
			}
		}
	}

	@Test
	void aSingleJobThatWaitedBehindALongBatchIsNotPutBehindTheNextOne() throws Exception {
		Duration prefetch = Duration.ofMillis(200);
		Backlog backlog = new Backlog();
		try (TestPoller poller = new TestPoller(oneSlot().prefetch(prefetch).get(), backlog, Single.class,
				Gathered.class)) {
			poller.learnOfJobs(prefetch);
			poller.runOnce();
			assertThat(backlog.claims).as("the single one ahead").containsExactly("of batches", "of 1 single");
			Execution batch = poller.startOne();
			backlog.pass(20 * prefetch.toNanos());
			poller.runOnce();
			assertThat(poller.waiting()).as("went back").isZero();
			backlog.claims.clear();
			poller.settle();
			poller.wentBack();
			poller.run(batch);
			poller.runOnce();
			assertThat(backlog.claims).containsExactly("of 1 single", "of batches");
		}
	}

	@Test
	void whatWentBackBehindALongJobIsClaimedWhenThatHasEndedHoweverRarePollsAre(DatabaseHandle database)
			throws Exception {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Single.class, Sits.class),
				"gator.worker.concurrency=1", "gator.worker.poll-interval=1h", "gator.worker.prefetch=200ms")) {
			JobTemplate template = application.bean(JobTemplate.class);
			for (int i = 0; i < 20; i++) {
				jobs.awaitState(template.dispatch(Single.class, 0), "SUCCEEDED");
			}
			Sits.begin();
			template.dispatch(Sits.class);
			assertThat(Sits.started.await(30, TimeUnit.SECONDS)).isTrue();
			long behind = template.dispatch(Single.class, 0);
			await()
				.until(() -> jobs.count("gator_job where lease > 1 and reserved_by is null and id = " + behind) == 1);
			Sits.goOn.countDown();
			jobs.awaitState(behind, "SUCCEEDED");
		}
	}

	@Test
	void whatWentBackBecauseAnotherQueueWasPausedIsClaimedWhenASlotIsIdleHoweverRarePollsAre(DatabaseHandle database)
			throws Exception {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Single.class, Sits.class),
				"gator.worker.concurrency=1", "gator.worker.poll-interval=1h", "gator.worker.prefetch=10s")) {
			JobTemplate template = application.bean(JobTemplate.class);
			for (int i = 0; i < 20; i++) {
				jobs.awaitState(template.to(Single.class).queue("other").dispatch(0), "SUCCEEDED");
			}
			Sits.begin();
			template.dispatch(Sits.class);
			assertThat(Sits.started.await(30, TimeUnit.SECONDS)).isTrue();
			long behind = template.dispatch(Single.class, 0);
			await().until(() -> jobs.count("gator_job where reserved_by is not null and id = " + behind) == 1);
			application.bean(JobAdmin.class).pause("other");
			await().until(() -> jobs.count("gator_job where lease > 1 and id = " + behind) == 1);
			Sits.goOn.countDown();
			jobs.awaitState(behind, "SUCCEEDED");
		}
	}

	/** Where there is always one more of both kinds. */
	private static final class Backlog extends FakeJobStore {

		private final List<String> claims = new ArrayList<>();

		private @Nullable RuntimeException batchFailure;

		private long last;

		private ClaimedJob next(String name) {
			return TestClaimedJob.of(++this.last, name).args("[0]").get();
		}

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			this.claims.add("of " + request.total() + " single");
			failIfTold();
			return List.of(next("Single"));
		}

		@Override
		public List<List<ClaimedJob>> claimBatches(BatchRequest request) {
			this.claims.add("of batches");
			RuntimeException failure = this.batchFailure;
			if (failure != null) {
				throw failure;
			}
			return List.of(List.of(next("Gathered")));
		}

	}

	@Job
	static class Single {

		void handle(Integer number) {
		}

	}

	@Job
	static class Sits {

		static CountDownLatch started = new CountDownLatch(1);

		static CountDownLatch goOn = new CountDownLatch(1);

		static void begin() {
			started = new CountDownLatch(1);
			goOn = new CountDownLatch(1);
		}

		void handle() throws InterruptedException {
			started.countDown();
			goOn.await();
		}

	}

	@Job
	@Buffered(size = 1, maxWait = "0s")
	static class Gathered {

		void handle(List<Integer> numbers) {
		}

	}

}
