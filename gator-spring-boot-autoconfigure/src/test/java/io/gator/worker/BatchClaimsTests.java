package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.LookRequest;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.WaitingBatches;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Where and when claims of batches look.
 */
class BatchClaimsTests {

	private static final List<String> QUEUE = List.of("default");

	private static final Consumer<List<Batch>> NONE = (batches) -> assertThat(batches).isEmpty();

	private final Batches store = new Batches();

	/** How often the poller heard that there may be room for another batch. */
	private int freed;

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
			claims.moveMarks(QUEUE);
			assertThat(claims.look(QUEUE, this.store.now()).request().queues()).extracting(ClaimRequest.Share::after)
				.containsExactly(49L);
		});
	}

	@Test
	void behindABacklogOfOtherJobsAllAreLookedForAtOnceAndClaimsBeginWhereItEnds() {
		this.store.claimNanos = Duration.ofSeconds(10).toNanos();
		this.store.failures.add(StoreExceptions.timeout());
		this.store.end = 5_000_000;
		claim(4, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			assertThat(this.store.starts).containsExactly(0L, 0L);
			this.store.pass(Duration.ofSeconds(10).toNanos());
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.namesOfFirst).containsExactlyInAnyOrder("Ten", "Renamed", "Former");
			assertThat(this.store.starts).as("a claim would walk over the backlog again").hasSize(2);
			assertThat(claims.untilLook(this.store.now())).isEqualTo(Marks.LAG_NANOS);
			this.store.pass(Marks.LAG_NANOS);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).containsExactly(0L, 0L, 5_000_000L, 5_000_000L);
			assertThat(claims.look(QUEUE, this.store.now()).request().queues()).extracting(ClaimRequest.Share::after)
				.containsExactly(5_000_000L);
		}, Ten.class, Renamed.class);
	}

	@Test
	void whatAppearsBehindTheMarksOfAllJobsIsLookedForThoughNoPollIsDue() {
		this.store.claimNanos = Duration.ofSeconds(10).toNanos();
		this.store.failures.add(StoreExceptions.timeout());
		this.store.end = 5_000_000;
		claim(4, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			for (int look = 0; look < 2; look++) {
				this.store.pass(Marks.LAG_NANOS);
				claims.moveMarks(QUEUE);
			}
			this.store.claimNanos = 0;
			claims.woken();
			claims.claim(1, QUEUE, NONE);
			this.store.claimNanos = Duration.ofSeconds(10).toNanos();
			this.store.starts.clear();
			this.store.firstWaiting = 1_000;
			long untilSweep = claims.untilLook(this.store.now());
			assertThat(untilSweep).isBetween(Duration.ofSeconds(180).toNanos(), Duration.ofSeconds(200).toNanos());
			this.store.pass(untilSweep);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).containsExactly(999L, 999L);
			assertThat(claims.untilLook(this.store.now())).as("all is seen, and others would have to come first")
				.isGreaterThan(Duration.ofMinutes(50).toNanos());
		}, Ten.class, Renamed.class);
	}

	@Test
	void whatALookFindsBehindTheMarksOfAllJobsIsLookedForBehindThoseOfItsJobToo() {
		this.store.claimNanos = Duration.ofSeconds(10).toNanos();
		this.store.failures.add(StoreExceptions.timeout());
		this.store.end = 5_000_000;
		claim(4, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			for (int look = 0; look < 2; look++) {
				this.store.pass(Marks.LAG_NANOS);
				claims.moveMarks(QUEUE);
			}
			this.store.claimNanos = 0;
			this.store.answers.add(items("Ten", 5_000_001, 5_000_010));
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			for (int claim = 0; claim < 3; claim++) {
				this.store.pass(Marks.LAG_NANOS);
				claims.claim(1, QUEUE, NONE);
			}
			claims.woken();
			this.store.pass(claims.untilLook(this.store.now()));
			claims.claim(1, QUEUE, NONE);
			this.store.claimNanos = 2 * KeyedMarks.SLOW_NANOS;
			this.store.pass(claims.untilLook(this.store.now()) - 2 * this.store.claimNanos);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).as("swept, and rests").endsWith(5_000_000L);
			this.store.starts.clear();
			this.store.firstWaiting = 1_000;
			this.store.pass(this.store.claimNanos);
			claims.moveMarks(QUEUE);
			assertThat(claims.untilLook(this.store.now())).isZero();
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
			claims.woken();
			claims.claim(1, List.of(), NONE);
			assertThat(claims.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
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
		this.store.claimNanos = Duration.ofSeconds(10).toNanos();
		this.store.failures.add(StoreExceptions.timeout());
		this.store.end = 5_000_000;
		claim(4, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			for (int look = 0; look < 2; look++) {
				this.store.pass(Marks.LAG_NANOS);
				claims.moveMarks(QUEUE);
			}
			assertThat(claims.look(QUEUE, this.store.now()).request().queues()).extracting(ClaimRequest.Share::after)
				.containsExactly(5_000_000L);
			claims.retain(Set.of());
			assertThat(claims.look(QUEUE, this.store.now()).request().queues()).extracting(ClaimRequest.Share::after)
				.as("a queue that was forgotten")
				.containsExactly(0L);
		}, Ten.class, Renamed.class);
	}

	@Test
	void itemsOfDifferentKeysGoBackWithTheirKeysAndAreLookedForAtOnce() {
		this.store.answers.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"), item("ByTenant", 2, "{}"),
				item("ByTenant", 3, "{\"tenant\":\"b\"}"), item("ByTenant", 4, "unreadable")));
		this.store.answers.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}")));
		List<Batch> running = new ArrayList<>();
		claim(ByTenant.class, (claims) -> assertThat(claims.claim(1, QUEUE, running::addAll)).isEqualTo(2));
		assertThat(this.store.regrouped).containsExactly(new JobStore.Regrouped(1, 1, "a"),
				new JobStore.Regrouped(3, 1, "b"));
		assertThat(running).extracting(Batch::ids).containsExactly(List.of(2L, 4L), List.of(1L));
	}

	@Test
	void whereAllItemsGoBackNothingIsTaken() {
		this.store.answers
			.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"), item("ByTenant", 2, "{\"tenant\":\"b\"}")));
		List<List<Batch>> taken = new ArrayList<>();
		claim(ByTenant.class, (claims) -> assertThat(claims.claim(1, QUEUE, taken::add)).isZero());
		assertThat(this.store.starts).as("looked for at once").hasSize(2);
		assertThat(taken).isEmpty();
	}

	@Test
	void aTurnEndsSomeTimeThoughItemsOfDifferentKeysComeAgainAndAgain() {
		List<ClaimedJob> mixed = List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"),
				item("ByTenant", 2, "{\"tenant\":\"b\"}"));
		this.store.answers.addAll(Collections.nCopies(1_000, mixed));
		claim(ByTenant.class, (claims) -> {
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.starts).hasSize(10);
			assertThat(claims.untilLook(this.store.now())).as("there is more").isZero();
		});
	}

	@Test
	void itemsThatCannotGoBackAreLookedForAsIfTheClaimHadNotBeenAnswered() {
		this.store.answers
			.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"), item("ByTenant", 2, "{\"tenant\":\"b\"}")));
		this.store.regroupFailure = StoreExceptions.timeout();
		claim(ByTenant.class,
				(claims) -> assertThatExceptionOfType(IllegalStateException.class)
					.isThrownBy(() -> claims.claim(1, QUEUE, NONE))
					.withCause(this.store.regroupFailure));
	}

	@Test
	void jobsMayAllowAsManyBatchesAsThereAreSlots() {
		this.store.answers
			.add(Stream.of(items("Unlimited", 1, 10), items("UnlimitedToo", 11, 20)).flatMap(List::stream).toList());
		List<Batch> running = new ArrayList<>();
		claim(4, (claims) -> assertThat(claims.claim(1, QUEUE, running::addAll)).isEqualTo(2), Unlimited.class,
				UnlimitedToo.class);
		assertThat(running).hasSize(2);
	}

	@Test
	void everyJobIsAskedForHoweverFewSlotsAreFree() {
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactlyInAnyOrder("Ten", "OneByOne", "ByTenant");
			assertThat(this.store.most).isOne();
		}, Ten.class, OneByOne.class, ByTenant.class);
	}

	@Test
	void itemsUnderAFormerNameOfTheirJobAreAskedFor() {
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactlyInAnyOrder("Renamed", "Former");
		}, Renamed.class);
	}

	@Test
	void theJobThatHadABatchLastStandsLast() {
		this.store.answers.add(items("Ten", 1, 10));
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			assertThat(this.store.names).containsExactly("Ten", "ByTenant");
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactly("ByTenant", "Ten");
		}, Ten.class, ByTenant.class);
	}

	@Test
	void aClaimThatFilledTheSlotsSaysNothingAboutTheJobsBehind() {
		this.store.answers.add(items("Ten", 1, 10));
		this.store.answers.add(items("OneByOne", 11, 20));
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			this.store.starts.clear();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactly("Ten", "OneByOne");
			assertThat(this.store.starts).containsExactly(10L, 20L);
		}, Ten.class, OneByOne.class);
	}

	@Test
	void aJobWithoutItemsDoesNotKeepABusyOneWaiting() {
		for (int first = 1; first <= 30; first += 10) {
			this.store.answers.add(items("OneByOne", first, first + 9));
		}
		claim(10, (claims) -> {
			for (int batch = 0; batch < 3; batch++) {
				List<Batch> running = new ArrayList<>();
				assertThat(claims.claim(1, QUEUE, running::addAll)).isOne();
				running.forEach(this::release);
				assertThat(claims.untilLook(this.store.now())).as("of the job that may have another batch").isZero();
			}
			assertThat(this.store.names).as("the other one was looked for a short while ago")
				.containsExactly("OneByOne");
		}, OneByOne.class, Ten.class);
	}

	@Test
	void batchesThatEndAtOnceDoNotKeepThePollerFromAllElse() {
		for (int first = 1; first <= 100; first += 10) {
			this.store.answers.add(items("Ten", first, first + 9));
		}
		claim(2, (claims) -> {
			assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isEqualTo(2);
			assertThat(claims.untilLook(this.store.now())).as("there may be more").isZero();
			assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isEqualTo(2);
		}, Ten.class);
	}

	@Test
	void behindItemsThatOthersAreTakingItIsLookedAgainSoonAndFurther() {
		this.store.ready = Set.of("Ten");
		claim(2, (claims) -> {
			claims.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.window).isEqualTo(10);
			assertThat(claims.untilLook(this.store.now())).isLessThan(BatchClaims.PAUSE_NANOS);
			this.store.pass(claims.untilLook(this.store.now()));
			this.store.ready = Set.of();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.window).isEqualTo(40);
			assertIsNotOwed(claims, "nothing is left");
		}, Ten.class);
	}

	@Test
	void itemsThatOthersAreTakingAreLookedForBehindABatch() {
		this.store.answers.add(items("Ten", 1, 10));
		this.store.ready = Set.of("Ten");
		claim(2, (claims) -> {
			assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isOne();
			assertThat(this.store.looks).isOne();
			assertThat(claims.untilLook(this.store.now())).isLessThan(BatchClaims.PAUSE_NANOS);
		}, Ten.class);
	}

	@Test
	void aBatchThatNobodyHadAReasonToExpectIsLookedForOnce() {
		claim(2, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).hasSize(1);
			assertThat(this.store.looks).isZero();
		}, Ten.class);
	}

	@Test
	void aLookThatFailsIsFollowedByAPause() {
		claim(2, (claims) -> {
			claims.woken();
			this.store.failureOfLook = StoreExceptions.timeout();
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			this.store.starts.clear();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).as("it pauses").isEmpty();
		}, Ten.class);
	}

	@Test
	void aBatchWhoseSlotIsReplacedLeavesThatToOthersButNotItsPlaceInItsJob() {
		this.store.answers.add(items("OneByOne", 1, 10));
		claim(1, (claims) -> {
			List<Batch> running = new ArrayList<>();
			claims.claim(1, QUEUE, running::addAll);
			assertThat(claims.areOpen()).isFalse();
			assertThat(this.freed).isZero();
			running.get(0).slotReplaced();
			assertThat(this.freed).as("the poller hears of the slot").isOne();
			assertThat(claims.untilLook(this.store.now())).as("the others are owed a look").isZero();
			this.store.answers.add(items("Ten", 11, 20));
			claims.claim(1, QUEUE, running::addAll);
			assertThat(this.store.names).containsExactly("Ten");
			release(running.get(0));
			assertThat(this.freed).as("and of the job that may have another batch").isEqualTo(2);
			assertThat(claims.areOpen()).as("there is one slot, and it is taken").isFalse();
			release(running.get(1));
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).contains("OneByOne");
			assertThat(this.store.most).isOne();
		}, OneByOne.class, Ten.class);
	}

	@Test
	void aFullBatchIsFollowedByALookForOneMore() {
		this.store.answers.add(items("Ten", 1, 5));
		this.store.answers.add(items("Ten", 6, 15));
		this.store.answers.add(items("Ten", 16, 20));
		List<Integer> windows = new ArrayList<>();
		claim(1, (claims) -> {
			for (int batch = 0; batch < 3; batch++) {
				assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isOne();
				windows.add(this.store.window);
			}
		}, Ten.class);
		assertThat(windows).containsExactly(10, 40, 10);
	}

	@Test
	void aLookBeginsWhereTheClaimsOfAllOpenJobsWould() {
		for (boolean withKey : List.of(false, true)) {
			this.store.answers.add(items("Ten", 1, 10));
			this.store.answers.add(items("Ten", 11, 20));
			claim(2, (claims) -> {
				List<Batch> running = new ArrayList<>();
				claims.claim(1, QUEUE, running::addAll);
				assertThat(claims.areOpen()).isFalse();
				release(running.get(0));
				assertThat(claims.areOpen()).isTrue();
				LookRequest look = claims.look(QUEUE, this.store.now()).request();
				assertThat(look.queues())
					.containsExactly(new ClaimRequest.Share("default", 1, withKey ? 0 : 20, Double.NEGATIVE_INFINITY));
				assertThat(look.names()).contains("Ten").hasSize(withKey ? 2 : 1);
			}, withKey ? new Class<?>[] { Ten.class, ByTenant.class } : new Class<?>[] { Ten.class });
		}
	}

	@Test
	void aLookThatSawNothingSaysNothingAboutAJobThatItWasNotFor() {
		this.store.answers
			.add(Stream.of(items("OneByOne", 1, 10), items("Ten", 11, 20)).flatMap(List::stream).toList());
		claim(2, (claims) -> {
			List<Batch> running = new ArrayList<>();
			claims.claim(1, QUEUE, running::addAll);
			running.sort(Comparator.comparing(Batch::describe));
			release(running.get(1));
			long now = this.store.now();
			BatchLook look = claims.look(QUEUE, now);
			assertThat(look.request().names()).containsExactly("Ten");
			release(running.get(0));
			look.sawNothing(new Elapsed(now, now));
			this.store.starts.clear();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).containsExactlyInAnyOrder(10L, 0L);
		}, Ten.class, OneByOne.class);
	}

	@Test
	void afterWordOfItemsALookIsPlannedForWhenTheyHaveWaited() {
		claim(Ten.class, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(claims.untilLook(this.store.now())).as("nobody spoke").isEqualTo(Long.MAX_VALUE);
			claims.woken();
			assertThat(claims.untilLook(this.store.now())).isLessThanOrEqualTo(Duration.ofHours(1).toNanos());
		});
	}

	@Test
	void aLookThatShouldHaveComeWhileAllQueuesArePausedIsNotOwed() {
		claim(AtOnce.class, (claims) -> {
			claims.woken();
			assertThat(claims.untilLook(this.store.now())).isZero();
			claims.claim(1, List.of(), NONE);
			assertThat(claims.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void aLookThatCameInTimeAndSawNothingIsNotPlannedAgain() {
		claim(AtOnce.class, (claims) -> {
			claims.woken();
			claims.claim(1, QUEUE, NONE);
			assertThat(claims.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void noLookIsPlannedForAJobThatMayNotHaveAnotherBatch() {
		this.store.answers.add(items("OneByOne", 1, 10));
		claim(OneByOne.class, (claims) -> {
			claims.woken();
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			assertThat(claims.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void looksAreNotCloserThanThePauseBetweenThem() {
		claim(AtOnce.class, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			claims.woken();
			assertThat(claims.untilLook(this.store.now() - Duration.ofSeconds(1).toNanos()))
				.isGreaterThan(Duration.ofSeconds(1).toNanos());
		});
	}

	@Test
	void aClaimThatTookTooLongIsNotTriedAgainAtOnce() {
		this.store.failures.add(StoreExceptions.timeout());
		this.store.claimNanos = Duration.ofMillis(20).toNanos();
		claim(Ten.class, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			assertThat(this.store.starts).hasSize(1);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).hasSize(1);
			assertThat(claims.untilLook(this.store.now())).isPositive();
		});
	}

	@Test
	void anAnswerThatDoesNotFitIntoMemoryIsFollowedByClaimsOfFewerItems() {
		this.store.failures.add(StoreExceptions.outOfMemory());
		this.store.answers.add(items("Ten", 1, 1));
		this.store.answers.add(items("Ten", 2, 3));
		this.store.answers.add(items("Ten", 4, 6));
		claim(Ten.class, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			assertThat(this.store.sizes).as("the last batch was not full").containsExactly(10, 1, 2, 4, 4);
		});
	}

	@Test
	void behindTheItemsOfOtherKeysItIsLookedEverFurtherAtOnce() {
		this.store.fullWindows = Set.of(100, 400);
		claim(ByTenant.class, (claims) -> {
			claims.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.windows).containsExactly(100, 400, 1600);
			assertIsNotOwed(claims, "nothing is ready");
			this.store.pass(BatchClaims.PAUSE_NANOS);
			claims.woken();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.windows.get(3)).isEqualTo(100);
		});
	}

	@Test
	void aLookBehindTheItemsOfOtherKeysHasAnEnd() {
		this.store.fullWindows = Set.of(100, 400, 1600, 6400, KeyWindow.WIDEST);
		claim(ByTenant.class, (claims) -> {
			claims.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.windows).containsExactly(100, 400, 1600, 6400, KeyWindow.WIDEST);
		});
	}

	@Test
	void withoutAKeyNothingLiesBehindOtherItems() {
		this.store.fullWindows = Set.of(10, 40);
		claim(Ten.class, (claims) -> {
			claims.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.windows).containsExactly(10);
		});
	}

	@Test
	void batchesWithAKeyThatAreSmallAreFollowedByLongerLooks() {
		for (int batch = 1; batch <= 6; batch++) {
			this.store.answers.add(items("ByTenant", 10 * batch, 10 * batch + 1));
		}
		this.store.answers.add(items("ByTenant", 101, 110));
		this.store.answers.add(items("ByTenant", 111, 120));
		claim(1, (claims) -> {
			while (!this.store.answers.isEmpty()) {
				claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			}
			assertThat(this.store.windows).containsExactly(100, 100, 100, 100, 100, 400, 400, 350);
			this.store.failures.add(StoreExceptions.timeout());
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			this.store.pass(BatchClaims.PAUSE_NANOS);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.windows.get(9)).as("that of the claim after one that took too long").isEqualTo(100);
		}, ByTenant.class);
	}

	@Test
	void smallerBatchesOfAKeyAreFoundBehindAsManyItemsOfOtherKeysAsFullOnes() {
		this.store.failures.add(StoreExceptions.outOfMemory());
		claim(ByTenant.class, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			assertThat(this.store.window).isEqualTo(100);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.sizes).containsExactly(10, 1);
			assertThat(this.store.window).isEqualTo(100);
		});
	}

	@Test
	void aBatchThatWasMadeSmallerAndIsFullIsFollowedByALookBehindIt() {
		this.store.failures.add(new OutOfMemoryError());
		this.store.answers.add(items("Ten", 7, 7));
		claim(Ten.class, (claims) -> {
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			assertThat(this.store.starts).containsExactly(0L, 0L, 7L);
		});
	}

	@Test
	void batchesThatNobodyCouldTakeAreNotCounted() {
		claim(1, (claims) -> {
			this.store.answers.add(items("OneByOne", 1, 10));
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> claims.claim(1, QUEUE, (batches) -> {
				throw new OutOfMemoryError();
			}));
			assertThat(claims.areOpen()).isTrue();
			this.store.answers.add(items("OneByOne", 1, 10));
			assertThat(claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1))).isOne();
			assertThat(claims.areOpen()).isFalse();
		}, OneByOne.class);
	}

	@Test
	void batchesAreNotCountedBeforeAllOfThemAreMade() {
		for (String broken : List.of("Ten", "OneByOne")) {
			claim(2, (claims) -> {
				ClaimedJob unfit = TestClaimedJob.of(11, broken).args(null).get();
				this.store.answers.add(List.of(item(broken.equals("Ten") ? "OneByOne" : "Ten", 1, "1"), unfit));
				assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
				claims.claim(1, QUEUE, NONE);
				assertThat(this.store.names).containsExactlyInAnyOrder("Ten", "OneByOne");
				assertThat(this.store.most).as("free slots").isEqualTo(2);
			}, Ten.class, OneByOne.class);
		}
	}

	@Test
	void jobsBeforeTheOneThatHadTheLastSlotAreKnownToHaveNothing() {
		for (int first = 1; first <= 30; first += 10) {
			this.store.answers.add(items("OneByOne", first, first + 9));
		}
		claim(1, (claims) -> {
			for (int batch = 0; batch < 3; batch++) {
				assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isOne();
			}
			assertThat(this.store.names).containsExactly("OneByOne");
		}, OneByOne.class, Ten.class, ByTenant.class);
	}

	private void assertIsNotOwed(BatchClaims claims, String reason) {
		assertThat(claims.untilLook(this.store.now())).as(reason).isGreaterThan(Duration.ofSeconds(2).toNanos());
	}

	private void release(Batch batch) {
		batch.release(TestSettlements.ignored());
	}

	private void claim(Class<?> job) {
		claim(job, (claims) -> claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1)));
	}

	private void claim(Class<?> job, Consumer<BatchClaims> test) {
		claim(10, test, job);
	}

	private void claim(int slots, Consumer<BatchClaims> test, Class<?>... jobs) {
		try (TestServices services = new TestServices(this.store, jobs)) {
			test.accept(new BatchClaims(services.get(), TestSettings.slots(slots).get(), () -> this.freed++,
					this.store::now));
		}
	}

	private static List<ClaimedJob> items(String name, long from, long to) {
		return LongStream.rangeClosed(from, to).mapToObj((id) -> item(name, id, "1")).toList();
	}

	private static ClaimedJob item(String name, long id, String json) {
		return TestClaimedJob.of(id, name).args("[" + json + "]").get();
	}

	/**
	 * Answers claims of batches, and keeps where each one began and the last one's jobs.
	 */
	private final class Batches extends FakeJobStore {

		final Deque<List<ClaimedJob>> answers = new ArrayDeque<>();

		/** The jobs that have a ready batch, though claims bring nothing. */
		Set<String> ready = Set.of();

		/** The windows behind which there are more items. */
		Set<Integer> fullWindows = Set.of();

		/** The id of the first item that waits, for which it is looked apart, or 0. */
		long firstWaiting;

		Set<String> namesOfFirst = Set.of();

		/** The id of the last job of the queue, whatever its name, or 0. */
		long end;

		int looks;

		@Nullable StoreException failureOfLook;

		final List<Long> starts = new ArrayList<>();

		List<String> names = List.of();

		int most;

		final List<Integer> sizes = new ArrayList<>();

		int window;

		final List<Integer> windows = new ArrayList<>();

		final List<Regrouped> regrouped = new ArrayList<>();

		@Nullable StoreException regroupFailure;

		@Override
		public List<ClaimedJob> claimBatches(BatchRequest request) {
			takeTime();
			request.jobs().forEach((job) -> job.queues().forEach((from) -> this.starts.add(from.after())));
			this.names = request.jobs().stream().flatMap((job) -> job.names().stream()).toList();
			this.most = request.total();
			request.jobs().forEach((job) -> {
				this.sizes.add(job.size());
				this.window = job.window();
				this.windows.add(job.window());
			});
			failIfTold();
			return Objects.requireNonNullElse(this.answers.poll(), List.of());
		}

		@Override
		public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
			takeTime();
			this.namesOfFirst = names;
			return (this.firstWaiting > 0) ? Map.of("default", this.firstWaiting) : Map.of();
		}

		@Override
		public Ends ends(Collection<String> queues) {
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
	@Buffered(size = 10, key = "tenant")
	static class ByTenant {

		void handle(List<Map<String, String>> items) {
		}

	}

}
