package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.LookRequest;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a pool sends when nobody speaks and the poll interval is over: one statement.
 */
class IdlePollTests {

	private static final PoolSettings ALWAYS_POLLS = TestSettings.slots(10)
		.queues(Map.of("default", 1))
		.pollInterval(Duration.ZERO)
		.get();

	private final Statements statements = new Statements();

	@Test
	void jobsOfBothKindsAreLookedForTogether() {
		assertThat(poll(Single.class, Gathered.class)).containsExactly("look for Single and Gathered");
	}

	@Test
	void onlyTheKindThatWasSeenIsClaimed() {
		this.statements.waiting = Set.of("Single");
		assertThat(poll(Single.class, Gathered.class)).containsExactly("look for Single and Gathered", "claim");
		this.statements.waiting = Set.of("Gathered");
		// A claim of batches may have to wait a moment, because there was one before.
		assertThat(poll(Single.class, Gathered.class)).contains("look for Single and Gathered").doesNotContain("claim");
	}

	@Test
	void whereNoBufferedJobMayHaveAnotherBatchTheClaimIsTheLook() {
		this.statements.batches.add(List.of(TestClaimedJob.of(1, "Gathered").args("[1]").get()));
		assertThat(poll(Single.class, Gathered.class)).containsExactly("claim");
	}

	@Test
	void whereAllJobsAreSingleTheClaimIsTheLook() {
		assertThat(poll(Single.class)).containsExactly("claim");
	}

	@Test
	void whereAllJobsAreBufferedNothingElseIsClaimed() {
		try (TestPoller poller = new TestPoller(ALWAYS_POLLS, this.statements, Gathered.class)) {
			poller.runOnce();
			assertThat(this.statements.sent).containsExactly("claim batches", "next due");
		}
	}

	@Test
	void aLookThatTakesLongForNoItemIsNotRepeatedWithEachPoll() {
		this.statements.waiting = Set.of("Single");
		try (TestPoller poller = claimed(Single.class, Gathered.class)) {
			this.statements.claimNanos = Duration.ofMillis(250).toNanos();
			poller.runOnce();
			poller.runOnce();
			assertThat(this.statements.sent).containsExactly("look for Single and Gathered", "claim",
					"first of Gathered", "look for Single and Gathered", "claim");
			this.statements.sent.clear();
			poller.runOnce();
			assertThat(this.statements.sent).containsExactly("claim");
		}
	}

	@Test
	void aLookThatTakesTooLongIsFollowedByClaimsOfSingleJobsOnly() {
		try (TestPoller poller = claimed(Single.class, Gathered.class)) {
			this.statements.claimNanos = Duration.ofMillis(250).toNanos();
			this.statements.failures.add(StoreExceptions.timeout());
			assertThatExceptionOfType(StoreException.class).isThrownBy(poller::runOnce);
			assertThat(this.statements.sent).containsExactly("look for Single and Gathered");
			poller.runOnce();
			assertThat(this.statements.sent).containsExactly("look for Single and Gathered", "claim");
			poller.wake(List.of());
			poller.runOnce();
			assertThat(this.statements.sent).doesNotContain("claim batches");
		}
	}

	@Test
	void afterASlowLookTheNextOneBeginsWhereTheFirstItemWithAKeyWaits() {
		try (TestPoller poller = claimed(Single.class, WithKey.class)) {
			this.statements.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
			poller.runOnce();
			assertThat(this.statements.sent).containsExactly("look for Single and WithKey");
			this.statements.pass(Marks.LAG_NANOS);
			poller.runOnce();
			assertThat(this.statements.sent).containsExactly("look for Single and WithKey", "first of WithKey",
					"look for Single and WithKey");
		}
	}

	@Test
	void looksOfAnIdlePoolBeginAtTheMarkAndBehindItOnceAWhile() {
		this.statements.jobs.add(List.of(TestClaimedJob.of(1_000, "Single").get()));
		this.statements.batches.add(List.of(TestClaimedJob.of(2_000, "Endless").args("[1]").get()));
		try (TestPoller poller = claimed(Single.class, Endless.class)) {
			this.statements.lookedAfter.clear();
			this.statements.claimNanos = Duration.ofMillis(100).toNanos();
			this.statements.pass(Marks.LAG_NANOS);
			poller.runOnce();
			this.statements.pass(BatchLine.PAUSE_NANOS);
			poller.runOnce();
			assertThat(this.statements.lookedAfter).containsExactly(List.of(0L, 0L), List.of(1_000L, 2_000L));
			this.statements.pass(Marks.LAG_NANOS);
			poller.runOnce();
			assertThat(this.statements.lookedAfter)
				.as("the look behind the marks took long, so that the next one rests")
				.endsWith(List.of(1_000L, 2_000L), List.of(1_000L, 2_000L));
			this.statements.pass(Marks.SWEEP_SHARE * this.statements.claimNanos);
			poller.runOnce();
			assertThat(this.statements.lookedAfter).endsWith(List.of(0L, 0L));
		}
	}

	@Test
	void itemsThatAPollSeesRightAfterALookForNothingAreClaimedWhenThePauseIsOver() {
		try (TestPoller poller = claimed(Single.class, Gathered.class)) {
			this.statements.waiting = Set.of("Gathered");
			poller.runOnce();
			assertThat(this.statements.sent).doesNotContain("claim batches");
			this.statements.waiting = Set.of();
			this.statements.pass(BatchLine.PAUSE_NANOS);
			poller.runOnce();
			assertThat(this.statements.sent).contains("claim batches");
		}
	}

	@Test
	void whoPollsSeldomAsksWithEachPollWhenTheNextDelayedJobIsDue() {
		PoolSettings seldom = TestSettings.slots(10)
			.queues(Map.of("default", 1))
			.pollInterval(Duration.ofSeconds(2))
			.get();
		try (TestPoller poller = new TestPoller(seldom, this.statements, Single.class)) {
			poller.runOnce();
			this.statements.sent.clear();
			poller.runOnce();
			assertThat(this.statements.sent).as("it is not time yet").isEmpty();
			this.statements.pass(seldom.pollInterval().toNanos());
			poller.runOnce();
			assertThat(this.statements.sent).containsExactly("claim", "next due");
		}
	}

	private TestPoller claimed(Class<?>... jobs) {
		TestPoller poller = new TestPoller(ALWAYS_POLLS, this.statements, jobs);
		// A claim of a batch is followed by another one at once.
		poller.runOnce();
		poller.runOnce();
		assertThat(this.statements.sent).contains("claim", "next due");
		this.statements.sent.clear();
		return poller;
	}

	/** What is sent by a poll after the first claims. */
	private List<String> poll(Class<?>... jobs) {
		try (TestPoller poller = claimed(jobs)) {
			poller.runOnce();
			return this.statements.sent;
		}
	}

	/** Keeps what was sent, and finds what a test says. */
	private static final class Statements extends FakeJobStore {

		final List<String> sent = new ArrayList<>();

		final Deque<List<ClaimedJob>> jobs = new ArrayDeque<>();

		final Deque<List<ClaimedJob>> batches = new ArrayDeque<>();

		/** After which ids looks for single and for buffered jobs began. */
		final List<List<Long>> lookedAfter = new ArrayList<>();

		Set<String> waiting = Set.of();

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			this.sent.add("claim");
			return Objects.requireNonNullElse(this.jobs.poll(), List.of());
		}

		@Override
		public List<List<ClaimedJob>> claimBatches(BatchRequest request) {
			this.sent.add("claim batches");
			return Stream.ofNullable(this.batches.poll()).toList();
		}

		@Override
		public Set<LookRequest> look(List<LookRequest> requests) {
			this.sent.add("look for "
					+ String.join(" and ", requests.stream().flatMap((request) -> request.names().stream()).toList()));
			this.lookedAfter.add(requests.stream().map((request) -> request.queues().get(0).after()).toList());
			takeTime();
			failIfTold();
			return requests.stream()
				.filter((request) -> request.names().stream().anyMatch(this.waiting::contains))
				.collect(Collectors.toSet());
		}

		@Override
		public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
			this.sent.add("first of " + String.join(" and ", names));
			return super.firstWaiting(names, queues);
		}

		@Override
		public NextDue nextDue(Collection<String> names, Collection<String> queues, double since) {
			this.sent.add("next due");
			return super.nextDue(names, queues, since);
		}

	}

	@Job
	static class Single {

		void handle(Integer number) {
		}

	}

	@Job
	@Buffered(maxWait = "1h", key = "tenant")
	static class WithKey {

		void handle(List<Map<String, String>> items) {
		}

	}

	@Job
	@Buffered(maxWait = "1h", maxConcurrent = 2)
	static class Endless {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(maxWait = "1h", maxConcurrent = 1)
	static class Gathered {

		void handle(List<Integer> numbers) {
		}

	}

}
