package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.routing.ArgsCodec;
import io.gator.routing.RetryDefaults;
import io.gator.routing.Routes;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimedJob;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where claims of batches begin to look.
 */
class BatchClaimsTests {

	private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

	private final Batches store = new Batches();

	@AfterEach
	void stop() {
		this.clock.shutdownNow();
	}

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

	private void claim(Class<?> job) {
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(job);
			context.refresh();
			ArgsCodec codec = new ArgsCodec(List.of(), 1000);
			Routes routes = Routes.of(context.getBeanFactory(), context.getEnvironment(), codec, RetryDefaults.NONE);
			Attempts attempts = new Attempts(routes, codec, new HandlerCalls(List.of(), List.of(), null), this.store,
					null, WorkerMetrics.NONE, this.clock, 1000);
			PoolSettings settings = new PoolSettings("default", 10, Map.of(), false, Duration.ofSeconds(1),
					Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(25),
					false);
			new BatchClaims(this.store, attempts, settings, () -> {
			}).claim(1, List.of("default"), (batches) -> assertThat(batches).hasSize(1));
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
	@Buffered(size = 10, maxConcurrent = 10)
	static class Ten {

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
