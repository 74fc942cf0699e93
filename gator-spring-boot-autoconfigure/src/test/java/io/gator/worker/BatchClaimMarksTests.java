package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.gator.store.ClaimRequest;
import io.gator.store.LookRequest;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Where claims of batches begin.
 */
class BatchClaimMarksTests extends AbstractBatchClaimsTests {

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
	void theLookAfterItemsWentBackBeginsBeforeThem() {
		this.store.answers.add(items("Ten", 1, 10));
		claim(Ten.class, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			for (int look = 0; look < 3; look++) {
				this.store.pass(Marks.LAG_NANOS * 2 / 3);
				this.lines.woken();
				claims.claim(1, QUEUE, NONE);
			}
			this.store.pass(Marks.LAG_NANOS / 6);
			this.lines.sweepSoon();
			this.lines.woken();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).endsWith(10L, 0L);
		});
	}

	@Test
	void aJobWithAKeyIsLookedForFromTheBeginningBecauseOtherKeysWereLeftBehind() {
		this.store.answers.add(items("ByTenant", 1, 10));
		claim(ByTenant.class);
		assertThat(this.store.starts).containsExactly(0L, 0L);
	}

	@Test
	void whereClaimsAreSlowAJobWithAKeyIsLookedForWhereItsFirstItemWaits() {
		this.store.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
		this.store.firstWaiting = 100;
		this.store.failures.add(StoreExceptions.timeout());
		claim(ByTenant.class, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			for (int look = 0; look < 2; look++) {
				this.store.pass(Duration.ofSeconds(10).toNanos());
				claims.claim(1, QUEUE, NONE);
			}
			assertThat(this.store.starts).containsExactly(0L, 99L);
			this.store.firstWaiting = 50;
			this.store.pass(Duration.ofSeconds(10).toNanos());
			this.lines.moveMarks(QUEUE);
			assertThat(placesOfLook()).containsExactly(49L);
		});
	}

	@Test
	void whereClaimsAreSlowAJobWithAKeyHasMarksOfItsOwnBehindThoseOfAllJobs() {
		this.store.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
		this.store.firstOf = Map.of("Ten", 100L, "ByTenant", 1_000L);
		claim(4, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			moveMarksTwice(Duration.ofSeconds(10).toNanos());
			assertThat(this.lines.open()).extracting((line) -> line.names(), (line) -> line.after("default"))
				.containsExactlyInAnyOrder(tuple(Set.of("Ten"), 99L), tuple(Set.of("ByTenant"), 999L));
		}, ByTenant.class, Ten.class);
	}

	@Test
	void whereClaimsAreSlowAndNothingWaitsAJobWithAKeyIsLookedForBehindItsLastItem() {
		this.store.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
		this.store.answers.add(items("ByTenant", 1, 10));
		claim(ByTenant.class, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			moveMarksTwice(Duration.ofSeconds(10).toNanos());
			assertThat(placesOfLook()).containsExactly(10L);
		});
	}

	@Test
	void aQueueThatWasForgottenIsLookedAtFromTheBeginning() {
		this.store.answers.add(items("Ten", 1, 10));
		claim(1, (claims) -> {
			List<Batch> running = new ArrayList<>();
			claims.claim(1, QUEUE, running::addAll);
			release(running.get(0));
			assertThat(placesOfLook()).containsExactly(10L);
			this.lines.retain(Set.of());
			assertThat(placesOfLook()).containsExactly(0L);
		}, Ten.class);
	}

	@Test
	void aQueueThatWasForgottenIsLookedAtFromTheBeginningForJobsWithAKeyToo() {
		this.store.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
		this.store.firstWaiting = 100;
		claim(4, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			moveMarksTwice(Duration.ofSeconds(10).toNanos());
			assertThat(this.lines.open()).hasSize(2).allMatch((line) -> line.after("default") == 99);
			this.lines.retain(Set.of());
			assertThat(this.lines.open()).hasSize(2).allMatch((line) -> line.after("default") == 0);
		}, ByTenant.class, Ten.class);
	}

	@Test
	void whatAppearedBehindTheMarksIsSeenWithTheNextSweepAndForJobsWithAKeyByLooksOfTheirOwn() {
		assertAllIsSeenAfter(Marks.LAG_NANOS / 2, Ten.class);
		assertAllIsSeenAfter(0, ByTenant.class);
		assertAllIsSeenAfter(Marks.LAG_NANOS / 2, Ten.class, ByTenant.class);
	}

	private void assertAllIsSeenAfter(long nanos, Class<?>... jobs) {
		claim(4, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			this.store.pass(Marks.LAG_NANOS / 4);
			long woken = this.store.now();
			this.store.pass(Marks.LAG_NANOS / 4);
			assertThat(this.lines.untilAllIsSeen(woken, this.store.now())).isEqualTo(nanos);
		}, jobs);
	}

	@Test
	void behindABacklogOfOtherJobsAllAreLookedForAtOnceAndClaimsBeginWhereItEnds() {
		behindABacklog((claims) -> {
			assertThat(this.store.starts).containsExactly(0L, 0L);
			this.store.pass(Duration.ofSeconds(10).toNanos());
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.namesOfFirst).containsExactlyInAnyOrder("Ten", "Renamed", "Former");
			assertThat(this.store.starts).as("a claim would walk over the backlog again").hasSize(2);
			assertThat(this.lines.untilLook(this.store.now())).isEqualTo(Marks.LAG_NANOS);
			this.store.pass(Marks.LAG_NANOS);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).containsExactly(0L, 0L, 5_000_000L, 5_000_000L);
			assertThat(placesOfLook()).containsExactly(5_000_000L);
		}, Ten.class, Renamed.class);
	}

	@Test
	void whatAppearsBehindTheMarksOfAllJobsIsLookedForThoughNoPollIsDue() {
		behindABacklog((claims) -> {
			moveMarksTwice(Marks.LAG_NANOS);
			this.store.claimNanos = 0;
			this.lines.woken();
			claims.claim(1, QUEUE, NONE);
			this.store.claimNanos = Duration.ofSeconds(10).toNanos();
			this.store.starts.clear();
			this.store.firstWaiting = 1_000;
			long untilSweep = this.lines.untilLook(this.store.now());
			assertThat(untilSweep).isBetween(Duration.ofSeconds(180).toNanos(), Duration.ofSeconds(200).toNanos());
			this.store.pass(untilSweep);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).containsExactly(999L, 999L);
			assertThat(this.lines.untilLook(this.store.now())).as("all is seen, and others would have to come first")
				.isGreaterThan(Duration.ofMinutes(50).toNanos());
		}, Ten.class, Renamed.class);
	}

	@Test
	void whatALookFindsBehindTheMarksOfAllJobsIsLookedForBehindThoseOfItsJobToo() {
		behindABacklog((claims) -> {
			moveMarksTwice(Marks.LAG_NANOS);
			this.store.claimNanos = 0;
			this.store.answers.add(items("Ten", 5_000_001, 5_000_010));
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).isNotEmpty());
			for (int claim = 0; claim < 3; claim++) {
				this.store.pass(Marks.LAG_NANOS);
				claims.claim(1, QUEUE, NONE);
			}
			this.lines.woken();
			this.store.pass(this.lines.untilLook(this.store.now()));
			claims.claim(1, QUEUE, NONE);
			this.store.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
			this.store.pass(this.lines.untilLook(this.store.now()) - 2 * this.store.claimNanos);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).as("swept, and rests").endsWith(5_000_000L);
			this.store.starts.clear();
			this.store.firstWaiting = 1_000;
			this.store.pass(this.store.claimNanos);
			this.lines.moveMarks(QUEUE);
			assertThat(this.lines.untilLook(this.store.now())).isZero();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).containsExactly(999L);
		}, Ten.class);
	}

	@Test
	void aSweepThatShouldHaveComeWhileAllQueuesArePausedIsNotOwed() {
		this.store.claimNanos = Duration.ofSeconds(10).toNanos();
		claim(4, (claims) -> {
			for (int look = 0; look < 2; look++) {
				claims.claim(1, QUEUE, NONE);
				this.store.pass(Duration.ofSeconds(10).toNanos());
			}
			this.lines.woken();
			claims.claim(1, List.of(), NONE);
			assertThat(this.lines.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
		}, AtOnce.class);
	}

	@Test
	void aSlowClaimIsAReasonForMarksOfAllJobs() {
		this.store.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
		claim(4, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.namesOfFirst).isEmpty();
			this.store.pass(Duration.ofSeconds(10).toNanos());
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.namesOfFirst).containsExactly("Ten");
		}, Ten.class);
	}

	@Test
	void marksOfAllJobsAreMovedBeforeALookToo() {
		behindABacklog((claims) -> {
			moveMarksTwice(Marks.LAG_NANOS);
			assertThat(placesOfLook()).containsExactly(5_000_000L);
			this.lines.retain(Set.of());
			assertThat(placesOfLook()).as("a queue that was forgotten").containsExactly(0L);
		}, Ten.class, Renamed.class);
	}

	@Test
	void aLookBeginsWhereTheClaimsOfAllOpenJobsWould() {
		for (boolean withKey : List.of(false, true)) {
			this.store.answers.add(items("Ten", 1, 10));
			this.store.answers.add(items("Ten", 11, 20));
			claim(2, (claims) -> {
				List<Batch> running = new ArrayList<>();
				claims.claim(1, QUEUE, running::addAll);
				assertThat(this.lines.areOpen()).isFalse();
				release(running.get(0));
				assertThat(this.lines.areOpen()).isTrue();
				LookRequest look = this.lines.look(QUEUE, this.store.now()).request();
				assertThat(look.queues())
					.containsExactly(new ClaimRequest.Share("default", 1, withKey ? 0 : 20, Double.NEGATIVE_INFINITY));
				assertThat(look.names()).contains("Ten").hasSize(withKey ? 2 : 1);
			}, withKey ? new Class<?>[] { Ten.class, ByTenant.class } : new Class<?>[] { Ten.class });
		}
	}

	@Test
	void aBatchThatWasMadeSmallerAndIsFullIsFollowedByALookBehindIt() {
		this.store.failures.add(new OutOfMemoryError());
		this.store.answers.add(items("Ten", 7, 16));
		claim(Ten.class, (claims) -> {
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			assertThat(this.store.starts).containsExactly(0L, 0L, 16L);
		});
	}

	/**
	 * Run a test after a claim that took too long, as it walked over the jobs of others.
	 */
	private void behindABacklog(Consumer<BatchClaims> test, Class<?>... jobs) {
		this.store.end = 5_000_000;
		afterOneThatWasBrokenOff(test, jobs);
	}

	private List<Long> placesOfLook() {
		return this.lines.look(QUEUE, this.store.now())
			.request()
			.queues()
			.stream()
			.map(ClaimRequest.Share::after)
			.toList();
	}

}
