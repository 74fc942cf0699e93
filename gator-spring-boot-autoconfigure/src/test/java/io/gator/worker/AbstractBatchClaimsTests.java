package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.WaitingBatches;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Claims of batches from a store that answers as it is told, at explicit times.
 */
abstract class AbstractBatchClaimsTests {

	static final List<String> QUEUE = List.of("default");

	static final Consumer<List<Batch>> NONE = (batches) -> assertThat(batches).isEmpty();

	final Batches store = new Batches();

	/** Those of the test that runs. */
	BatchLines lines;

	/** How often the poller heard that there may be room for another batch. */
	int freed;

	void assertIsNotOwed(String reason) {
		assertThat(this.lines.untilLook(this.store.now())).as(reason).isGreaterThan(Duration.ofSeconds(2).toNanos());
	}

	void release(Batch batch) {
		batch.release(TestSettlements.ignored());
	}

	void claim(Class<?> job) {
		claim(job, (claims) -> claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1)));
	}

	void claim(Class<?> job, Consumer<BatchClaims> test) {
		claim(10, test, job);
	}

	void claim(int slots, Consumer<BatchClaims> test, Class<?>... jobs) {
		try (TestServices services = new TestServices(this.store, jobs)) {
			this.lines = new BatchLines(this.store, services.get().routes(), new Reach("test", this.store), () -> slots,
					() -> this.freed++, this.store::now);
			test.accept(new BatchClaims(services.get(), "test", this.lines, this.store::now));
		}
	}

	/** Run a test after a claim that took longer than a statement may. */
	void afterOneThatWasBrokenOff(Consumer<BatchClaims> test, Class<?>... jobs) {
		this.store.claimNanos = Duration.ofSeconds(10).toNanos();
		this.store.failures.add(StoreExceptions.timeout());
		claim(4, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			test.accept(claims);
		}, jobs);
	}

	/** The first time it is seen where items wait, the second time that holds. */
	void moveMarksTwice(long pause) {
		for (int look = 0; look < 2; look++) {
			this.store.pass(pause);
			this.lines.moveMarks(QUEUE);
		}
	}

	static List<ClaimedJob> items(String name, long from, long to) {
		return LongStream.rangeClosed(from, to).mapToObj((id) -> item(name, id, "1")).toList();
	}

	static ClaimedJob item(String name, long id, String json) {
		return TestClaimedJob.of(id, name).args("[" + json + "]").get();
	}

	/**
	 * Answers claims of batches, and keeps where each one began and the last one's jobs.
	 */
	final class Batches extends FakeJobStore {

		final Deque<List<ClaimedJob>> answers = new ArrayDeque<>();

		/** The jobs that have a ready batch, though claims bring nothing. */
		Set<String> ready = Set.of();

		/** The windows behind which there are more items. */
		Set<Integer> fullWindows = Set.of();

		/** The id of the first item that waits, for which it is looked apart, or 0. */
		long firstWaiting;

		/** That of a job where it is another one. */
		Map<String, Long> firstOf = Map.of();

		Set<String> namesOfFirst = Set.of();

		/** The id of the last job of the queue, whatever its name, or 0. */
		long end;

		int looks;

		@Nullable StoreException failureOfLook;

		final List<Long> starts = new ArrayList<>();

		List<String> names = List.of();

		int most;

		final List<Integer> sizes = new ArrayList<>();

		/** How many batches were asked for. */
		final List<Integer> batches = new ArrayList<>();

		int window;

		final List<Integer> windows = new ArrayList<>();

		final List<Regrouped> regrouped = new ArrayList<>();

		@Nullable StoreException regroupFailure;

		@Override
		public List<List<ClaimedJob>> claimBatches(BatchRequest request) {
			takeTime();
			request.jobs().forEach((job) -> this.starts.addAll(job.after()));
			this.names = request.jobs().stream().flatMap((job) -> job.names().stream()).toList();
			this.most = request.total();
			request.jobs().forEach((job) -> {
				this.sizes.add(job.size());
				this.batches.add(job.batches());
				this.window = job.window();
				this.windows.add(job.window());
			});
			failIfTold();
			List<ClaimedJob> items = Objects.requireNonNullElse(this.answers.poll(), List.of());
			return request.jobs().stream().flatMap((job) -> batches(job, items)).toList();
		}

		private static Stream<List<ClaimedJob>> batches(BatchRequest.Buffered job, List<ClaimedJob> items) {
			List<ClaimedJob> own = items.stream().filter((item) -> job.names().contains(item.name())).toList();
			return IntStream.iterate(0, (from) -> from < own.size(), (from) -> from + job.size())
				.mapToObj((from) -> own.subList(from, Math.min(own.size(), from + job.size())));
		}

		@Override
		public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
			takeTime();
			this.namesOfFirst = names;
			long first = names.stream()
				.mapToLong((name) -> this.firstOf.getOrDefault(name, this.firstWaiting))
				.min()
				.orElse(0);
			return (first > 0) ? Map.of("default", first) : Map.of();
		}

		@Override
		public Ends ends(Collection<String> queues, long after) {
			return (this.end > 0) ? new Ends(0, Map.of("default", this.end)) : Ends.UNKNOWN;
		}

		@Override
		public WaitingBatches lookForBatches(BatchRequest request) {
			this.looks++;
			if (this.failureOfLook != null) {
				throw this.failureOfLook;
			}
			Set<Integer> ready = new HashSet<>();
			Set<Integer> more = new HashSet<>();
			for (int place = 0; place < request.jobs().size(); place++) {
				BatchRequest.Buffered job = request.jobs().get(place);
				if (!Collections.disjoint(job.names(), this.ready)) {
					ready.add(place);
				}
				if (this.fullWindows.contains(job.window())) {
					more.add(place);
				}
			}
			return new WaitingBatches(ready, more);
		}

		@Override
		public Set<Long> regroup(List<Regrouped> items) {
			if (this.regroupFailure != null) {
				throw this.regroupFailure;
			}
			this.regrouped.addAll(items);
			return items.stream().map(Regrouped::id).collect(Collectors.toSet());
		}

	}

	@Job
	@Buffered(size = 10, maxConcurrent = 10, maxWait = "1h")
	static class Ten {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 10, maxConcurrent = Integer.MAX_VALUE)
	static class Unlimited {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 10, maxConcurrent = Integer.MAX_VALUE)
	static class UnlimitedToo {

		void handle(List<Integer> numbers) {
		}

	}

	@Job(aliases = "Former")
	@Buffered(size = 10, maxWait = "1h")
	static class Renamed {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 500, maxConcurrent = 10)
	static class Large {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 10_000, maxConcurrent = 10)
	static class Huge {

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
	@Buffered(size = 10, maxWait = "0s")
	static class AtOnce {

		void handle(List<Integer> numbers) {
		}

	}

	@Job
	@Buffered(size = 500, key = "tenant", maxConcurrent = 10)
	static class LargeByTenant {

		void handle(List<Map<String, String>> items) {
		}

	}

	@Job
	@Buffered(size = 10, key = "tenant")
	static class ByTenant {

		void handle(List<Map<String, String>> items) {
		}

	}

}
