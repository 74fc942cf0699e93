package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.gator.Job;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Claims of single jobs from a store that answers as it is told, at explicit times.
 */
class SingleClaimsTests {

	private static final int ROOM = 10;

	private final Answers store = new Answers();

	private final Reach reach = new Reach("test", this.store);

	@Test
	void jobsAreRunInTheirOrderHoweverTheDatabaseReturnsThem() {
		this.store.answers.add(List.of(ready("a", 9), due(5, 200), ready("a", 7), due(6, 100)));
		List<Execution> taken = new ArrayList<>();
		claim((claims) -> claims.claim(1, Map.of("a", 1), ROOM, taken::addAll));
		assertThat(taken.stream().flatMap((job) -> job.ids().stream())).containsExactly(6L, 5L, 7L, 9L);
	}

	@Test
	void aLookBeginsBehindTheMarksThoughTheLastClaimWasFullAndBeganAtThem() {
		this.store.claimNanos = Duration.ofMillis(10).toNanos();
		Map<String, Integer> queues = new LinkedHashMap<>();
		queues.put("a", 1);
		queues.put("b", 1);
		this.store.answers.add(Stream.concat(Stream.of(ready("a", 100)), readyOfB(1, 5)).toList());
		this.store.answers.add(readyOfB(6, 9).toList());
		this.store.answers.add(readyOfB(10, 19).toList());
		claim((claims) -> {
			for (int full = 0; full < 2; full++) {
				assertThat(claims.claim(1, queues, ROOM, (jobs) -> {
				}).more()).isTrue();
			}
			assertThat(this.store.startsOfA).as("at the mark while the other queue fills the claims")
				.containsExactly(0L, 100L);
			assertThat(claims.look(List.of("a"), this.store.now()).queues()).extracting(ClaimRequest.Share::after)
				.containsExactly(0L);
		});
	}

	@Test
	void aQueueThatWasEmptyFromItsMarkHasItsTurnIfTheClaimFilledUpBehindTheMarksBeforeIt() {
		this.store.claimNanos = Duration.ofMillis(10).toNanos();
		Map<String, Integer> queues = new LinkedHashMap<>();
		queues.put("b", 1);
		queues.put("a", 1);
		this.store.answers.add(List.of(ready("b", 100)));
		this.store.answers.add(List.of());
		this.store.answers.add(List.of(ready("a", 50)));
		claim((claims) -> {
			for (int job = 0; job < 3; job++) {
				claims.claim(1, queues, 1, (jobs) -> assertThat(jobs).hasSize(1));
			}
			assertThat(this.store.askedFirst).startsWith("b", "a", "a", "b");
		});
	}

	@Test
	void aLookThatTookTooLongIsFollowedByOneAmongTheLatest() {
		this.store.newest = new JobStore.Newest(50_000_000, 0);
		claim((claims) -> {
			long now = this.store.now();
			claims.lookGaveUp(List.of("a"), new Elapsed(now, now + Duration.ofSeconds(10).toNanos()));
			assertThat(this.reach.afterId()).isEqualTo(50_000_000 - Reach.IDS);
		});
	}

	@Test
	void claimsThatWereQuickAreNoReasonToAskWhereTheQueuesEnd() {
		claim((claims) -> {
			claimForNothing(claims, 2, Duration.ofMillis(21));
			assertThat(this.store.endsAsked).isOne();
			claimForNothing(claims, SingleClaims.FAR_CLAIMS, Duration.ofMillis(1));
			claimForNothing(claims, 2, Duration.ofMillis(21));
			assertThat(this.store.endsAsked).isOne();
		});
	}

	private void claimForNothing(SingleClaims claims, int times, Duration each) {
		this.store.claimNanos = each.toNanos();
		for (int time = 0; time < times; time++) {
			claims.claim(1, Map.of("a", 1), ROOM, (jobs) -> assertThat(jobs).isEmpty());
		}
	}

	private void claim(Consumer<SingleClaims> test) {
		PoolSettings settings = TestSettings.slots(ROOM).get();
		try (TestServices services = new TestServices(this.store, Work.class)) {
			test.accept(new SingleClaims(services.get(), settings, this.reach, new Selection(settings), (nanos) -> {
			}, this.store::now));
		}
	}

	private static Stream<ClaimedJob> readyOfB(long from, long to) {
		return LongStream.rangeClosed(from, to).mapToObj((id) -> ready("b", id));
	}

	private static ClaimedJob ready(String queue, long id) {
		return TestClaimedJob.of(id, "Work").queue(queue).get();
	}

	private static ClaimedJob due(long id, double time) {
		return TestClaimedJob.of(id, "Work").queue("a").dueAt(time).get();
	}

	private static final class Answers extends FakeJobStore {

		private final Deque<List<ClaimedJob>> answers = new ArrayDeque<>();

		private final List<Long> startsOfA = new ArrayList<>();

		private final List<String> askedFirst = new ArrayList<>();

		private int endsAsked;

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			takeTime();
			this.askedFirst.add(request.queues().get(0).queue());
			request.queues()
				.stream()
				.filter((share) -> share.queue().equals("a"))
				.forEach((share) -> this.startsOfA.add(share.after()));
			return Objects.requireNonNullElse(this.answers.poll(), List.of());
		}

		@Override
		public Ends ends(Collection<String> queues, long after) {
			this.endsAsked++;
			return Ends.UNKNOWN;
		}

	}

	@Job
	static class Work {

		void handle() {
		}

	}

}
