package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.LookRequest;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A pool claims also where the beginning of its queues is behind more dead rows than a
 * statement can walk over, because somebody holds an old snapshot.
 */
class BehindDeadRowsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final PoolSettings SETTINGS = TestSettings.slots(10)
		.queues(Map.of("default", 1))
		.pollInterval(SECOND)
		.lease(Duration.ofDays(1))
		.get();

	private static final long NEWEST = 50_000_000;

	private final DeadRows table = new DeadRows();

	@ParameterizedTest
	@ValueSource(ints = { 0, 1000 })
	void aPoolThatHasJustStartedClaimsSingleJobs(int deadDays) {
		this.table.deadDays = deadDays;
		try (TestPoller poller = new TestPoller(SETTINGS, this.table, Single.class)) {
			assertClaims(poller, "Single");
			assertThat(this.table.starts).startsWith(0L, 0L, NEWEST - Reach.IDS);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1000 })
	void aPoolThatHasJustStartedClaimsBatches(int deadDays) {
		assertClaimsOnceStarted(deadDays, Gathered.class);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1000 })
	void aPoolThatHasJustStartedClaimsBatchesOfItemsWithAKey(int deadDays) {
		assertClaimsOnceStarted(deadDays, Keyed.class);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1000 })
	void aPoolThatHasJustStartedClaimsJobsOfBothKinds(int deadDays) {
		assertClaimsOnceStarted(deadDays, Single.class, Gathered.class, Keyed.class);
	}

	@Test
	void aPoolLooksFromTimeToTimeForJobsOfBothKinds() {
		this.table.deadDays = 1000;
		try (TestPoller poller = new TestPoller(SETTINGS, this.table, Single.class, Gathered.class)) {
			assertClaims(poller, "Single");
			assertClaims(poller, "Gathered");
			this.table.looks = 0;
			poll(poller);
			assertThat(this.table.looks).isPositive();
		}
	}

	@Test
	void aPoolHearsWhenTheNextDelayedJobIsDueWhereOnlyThatLookIsBrokenOff() {
		this.table.deadDays = 1000;
		this.table.claimsAreQuick = true;
		try (TestPoller poller = new TestPoller(SETTINGS, this.table, Single.class)) {
			assertThat(runsOnce(poller)).as("not broken off").isFalse();
			poller.wake(List.of("default"));
			assertThat(runsOnce(poller)).as("not broken off").isTrue();
			assertThat(this.table.nextDueSince).isEqualTo(DeadRows.NOW - Reach.SECONDS);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Single.class, Gathered.class, Keyed.class })
	void looksGoAsFarBackAsTheyAreQuickAndToTheBeginningOnceTheDeadRowsAreGone(Class<?> job) {
		try (TestPoller poller = new TestPoller(SETTINGS, this.table, job)) {
			assertClaims(poller, job.getSimpleName());
			this.table.starts.clear();
			poll(poller);
			assertThat(this.table.starts).contains(NEWEST - 2 * Reach.IDS)
				.allSatisfy((start) -> assertThat(start).isGreaterThanOrEqualTo(NEWEST - 16 * Reach.IDS));
			this.table.dead = false;
			poll(poller);
			assertThat(this.table.starts).contains(0L);
		}
	}

	private void assertClaimsOnceStarted(int deadDays, Class<?>... jobs) {
		this.table.deadDays = deadDays;
		try (TestPoller poller = new TestPoller(SETTINGS, this.table, jobs)) {
			for (Class<?> job : jobs) {
				assertClaims(poller, job.getSimpleName());
			}
		}
	}

	/** The pool goes on, whatever is broken off, until it has claimed what waits. */
	private void assertClaims(TestPoller poller, String job) {
		this.table.waiting = job;
		int brokenOff = 0;
		for (int polls = 0; polls < 60 && !this.table.waiting.isEmpty(); polls++) {
			poller.wake(List.of("default"));
			brokenOff += runsOnce(poller) ? 0 : 1;
			this.table.pass(SECOND.toNanos());
		}
		assertThat(this.table.waiting).as("not claimed").isEmpty();
		assertThat(brokenOff).isLessThanOrEqualTo(2);
		poller.startClaimed();
		poller.finished();
	}

	private void poll(TestPoller poller) {
		for (int polls = 0; polls < 100; polls++) {
			this.table.pass(SECOND.toNanos());
			assertThat(runsOnce(poller)).as("not broken off").isTrue();
		}
	}

	private boolean runsOnce(TestPoller poller) {
		try {
			poller.runOnce();
			return true;
		}
		catch (StoreException ex) {
			assertThat(ex.isTimeout()).isTrue();
			return false;
		}
	}

	/** A table in which many jobs have run, and the last one waits. */
	private static final class DeadRows extends FakeJobStore {

		static final double NOW = 2_000_000_000;

		private static final Duration LIMIT = Duration.ofSeconds(10);

		private static final long NANOS_A_ROW = 250;

		private static final double DAY = 86_400;

		/** The name of the job that waits, or nothing. */
		String waiting = "";

		boolean dead = true;

		/** For how many days delayed jobs, one a second, have run. */
		int deadDays;

		/** Whether only other looks walk over dead rows. */
		boolean claimsAreQuick;

		double nextDueSince;

		int looks;

		final List<Long> starts = new ArrayList<>();

		DeadRows() {
			this.newest = new Newest(NEWEST, NOW);
		}

		private void walk(long after, double dueAfter) {
			this.starts.add(after);
			double delayed = Math.min(NOW - dueAfter, this.deadDays * DAY);
			long nanos = this.dead ? (long) ((NEWEST - after + delayed) * NANOS_A_ROW) : 1;
			pass(Math.min(nanos, LIMIT.toNanos()));
			if (nanos > LIMIT.toNanos()) {
				throw StoreExceptions.timeout();
			}
		}

		private List<ClaimedJob> take(Set<String> names) {
			if (!names.contains(this.waiting)) {
				return List.of();
			}
			String name = this.waiting;
			this.waiting = "";
			return List.of(TestClaimedJob.of(NEWEST, name).args("[{}]").get());
		}

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			ClaimRequest.Share share = request.queues().get(0);
			if (!this.claimsAreQuick) {
				walk(share.after(), share.dueAfter());
			}
			return take(request.names());
		}

		@Override
		public List<List<ClaimedJob>> claimBatches(BatchRequest request) {
			request.jobs().forEach((job) -> walk(job.after().get(0), request.dueAfter()));
			return request.jobs().stream().map((job) -> take(job.names())).filter((items) -> !items.isEmpty()).toList();
		}

		@Override
		public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
			walk(queues.get(0).after(), NOW);
			return names.contains(this.waiting) ? Map.of("default", NEWEST) : Map.of();
		}

		@Override
		public Set<LookRequest> look(List<LookRequest> requests) {
			this.looks++;
			for (LookRequest request : requests) {
				ClaimRequest.Share share = request.queues().get(0);
				walk(share.after(), share.dueAfter());
			}
			return Set.of();
		}

		@Override
		public Ends ends(Collection<String> queues, long after) {
			walk(after, NOW);
			return Ends.UNKNOWN;
		}

		@Override
		public NextDue nextDue(Collection<String> names, Collection<String> queues, double since) {
			this.nextDueSince = since;
			walk(NEWEST, since);
			return new NextDue(NOW, OptionalDouble.empty());
		}

	}

	@Job
	static class Single {

		void handle(Integer number) {
		}

	}

	@Job
	@Buffered(size = 1, maxWait = "0s")
	static class Gathered {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 1, maxWait = "0s", key = "tenant")
	static class Keyed {

		void handle(List<Map<String, String>> items) {
		}

	}

}
