package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a pool sends when nobody speaks and the poll interval is over: one statement.
 */
class IdlePollTests {

	private static final PoolSettings ALWAYS_POLLS = new PoolSettings("default", 10, Map.of("default", 1), false,
			Duration.ZERO, Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(25),
			false);

	private final Statements statements = new Statements();

	@Test
	void jobsOfBothKindsAreLookedForTogether() {
		assertThat(poll(Single.class, Gathered.class)).containsExactly("look for Gathered and Single");
	}

	@Test
	void whatIsSeenIsClaimed() {
		this.statements.isAnyWaiting = true;
		assertThat(poll(Single.class, Gathered.class)).containsExactly("look for Gathered and Single", "claim");
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

	/** What is sent by a poll after the first claim. */
	private List<String> poll(Class<?>... jobs) {
		try (TestPoller poller = new TestPoller(ALWAYS_POLLS, this.statements, jobs)) {
			poller.runOnce();
			assertThat(this.statements.sent).contains("claim", "next due");
			this.statements.sent.clear();
			poller.runOnce();
			return this.statements.sent;
		}
	}

	/** Keeps what was sent, and finds nothing. */
	private static final class Statements extends FakeJobStore {

		final List<String> sent = new ArrayList<>();

		boolean isAnyWaiting;

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			this.sent.add("claim");
			return List.of();
		}

		@Override
		public List<ClaimedJob> claimBatches(BatchRequest request) {
			this.sent.add("claim batches");
			return List.of();
		}

		@Override
		public boolean isAnyWaiting(Set<String> names, List<ClaimRequest.Share> queues) {
			this.sent.add("look for " + String.join(" and ", new TreeSet<>(names)));
			return this.isAnyWaiting;
		}

		@Override
		public OptionalDouble nextDue(Collection<String> queues) {
			this.sent.add("next due");
			return OptionalDouble.empty();
		}

	}

	@Job
	static class Single {

		void handle(Integer number) {
		}

	}

	@Job
	@Buffered(maxWait = "1h")
	static class Gathered {

		void handle(List<Integer> numbers) {
		}

	}

}
