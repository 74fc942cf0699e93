package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.LongStream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimedJob;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where and when claims of batches look.
 */
class BatchClaimsTests {

	private static final List<String> QUEUE = List.of("default");

	private static final Consumer<List<Batch>> NONE = (batches) -> assertThat(batches).isEmpty();

	private final Batches store = new Batches();

	@Test
	void theLookAfterAFullBatchBeginsBehindIt() {
		this.store.answers.add(items("Ten", 1, 10));
		this.store.answers.add(items("Ten", 11, 20));
		claim(Ten.class);
		assertThat(this.store.starts).containsExactly(0L, 10L, 20L);
	}

	@Test
	void theLookAfterABatchThatWasNotFullBeginsWhereOthersMayStillCommit() {
		this.store.answers.add(items("Ten", 1, 10));
		this.store.answers.add(items("Ten", 12, 13));
		claim(Ten.class);
		assertThat(this.store.starts).containsExactly(0L, 10L, 0L);
	}

	@Test
	void aJobWithAKeyIsLookedForFromTheBeginningBecauseOtherKeysWereLeftBehind() {
		this.store.answers.add(items("ByTenant", 1, 10));
		claim(ByTenant.class);
		assertThat(this.store.starts).containsExactly(0L, 0L);
	}

	@Test
	void afterWordOfItemsThatWereTooFewALookIsPlanned() {
		claim(Ten.class, (claims) -> {
			claims.claim(1, QUEUE, false, NONE);
			assertThat(claims.untilLook(System.nanoTime())).as("nobody spoke").isEqualTo(Long.MAX_VALUE);
		});
		claim(Ten.class, (claims) -> {
			claims.claim(1, QUEUE, true, NONE);
			assertThat(claims.untilLook(System.nanoTime())).isLessThanOrEqualTo(Duration.ofHours(1).toNanos());
		});
	}

	@Test
	void noLookIsPlannedIntoQueuesThatArePausedMeanwhile() {
		claim(Ten.class, (claims) -> {
			claims.claim(1, QUEUE, true, NONE);
			claims.claim(1, List.of(), false, NONE);
			assertThat(claims.untilLook(System.nanoTime())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void noLookIsPlannedForAJobThatMayNotHaveAnotherBatch() {
		this.store.answers.add(items("OneByOne", 1, 10));
		claim(OneByOne.class, (claims) -> {
			claims.claim(1, QUEUE, true, (batches) -> assertThat(batches).hasSize(1));
			assertThat(claims.untilLook(System.nanoTime())).isEqualTo(Long.MAX_VALUE);
		});
	}

	private void claim(Class<?> job) {
		claim(job, (claims) -> claims.claim(1, QUEUE, true, (batches) -> assertThat(batches).hasSize(1)));
	}

	private void claim(Class<?> job, Consumer<BatchClaims> test) {
		try (TestAttempts attempts = new TestAttempts(this.store, job)) {
			PoolSettings settings = new PoolSettings("default", 10, Map.of(), false, Duration.ofSeconds(1),
					Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(25),
					false);
			test.accept(new BatchClaims(this.store, attempts.get(), settings, () -> {
			}));
		}
	}

	private static List<ClaimedJob> items(String name, long from, long to) {
		return LongStream.rangeClosed(from, to)
			.mapToObj((id) -> new ClaimedJob(id, "default", name, "[1]", 1, 1, 0, Double.NaN, 0, false, false, null, 0,
					null))
			.toList();
	}

	/** Answers claims of batches, and keeps where each one began. */
	private static final class Batches extends FakeJobStore {

		final Deque<List<ClaimedJob>> answers = new ArrayDeque<>();

		final List<Long> starts = new ArrayList<>();

		@Override
		public List<ClaimedJob> claimBatches(BatchRequest request) {
			request.jobs().forEach((job) -> job.queues().forEach((from) -> this.starts.add(from.after())));
			return Objects.requireNonNullElse(this.answers.poll(), List.of());
		}

	}

	@Job
	@Buffered(size = 10, maxConcurrent = 10, maxWait = "1h")
	static class Ten {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 10, maxConcurrent = 1, maxWait = "1h")
	static class OneByOne {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 10, key = "tenant")
	static class ByTenant {

		void handle(List<Map<String, String>> items) {
		}

	}

}
