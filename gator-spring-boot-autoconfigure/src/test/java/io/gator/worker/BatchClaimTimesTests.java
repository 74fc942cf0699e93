package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.gator.store.ClaimedJob;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When batches are looked for, and when not.
 */
class BatchClaimTimesTests extends AbstractBatchClaimsTests {

	@Test
	void aTurnEndsSomeTimeThoughItemsOfDifferentKeysComeAgainAndAgain() {
		List<ClaimedJob> mixed = List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"),
				item("ByTenant", 2, "{\"tenant\":\"b\"}"));
		this.store.answers.addAll(Collections.nCopies(1_000, mixed));
		claim(ByTenant.class, (claims) -> {
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.starts).hasSize(10);
			assertThat(this.lines.untilLook(this.store.now())).as("there is more").isZero();
		});
	}

	@Test
	void batchesThatEndAtOnceDoNotKeepThePollerFromAllElse() {
		for (int first = 1; first <= 100; first += 10) {
			this.store.answers.add(items("Ten", first, first + 9));
		}
		claim(2, (claims) -> {
			assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isEqualTo(2);
			assertThat(this.lines.untilLook(this.store.now())).as("there may be more").isZero();
			assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isEqualTo(2);
		}, Ten.class);
	}

	@Test
	void itemsThatOthersAreTakingAreLookedForBehindABatch() {
		this.store.answers.add(items("Ten", 1, 10));
		this.store.ready = Set.of("Ten");
		claim(2, (claims) -> {
			assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isOne();
			assertThat(this.store.looks).isOne();
			assertThat(this.lines.untilLook(this.store.now())).isLessThan(BatchLine.PAUSE_NANOS);
		}, Ten.class);
	}

	@Test
	void thePauseBesideOthersIsAsShortAsTheFirstOneAfterABatch() {
		this.store.claimNanos = 1_000;
		this.store.ready = Set.of("Ten");
		claim(2, (claims) -> {
			this.lines.woken();
			for (int look = 0; look < 10; look++) {
				this.store.pass(BatchLine.PAUSE_NANOS);
				claims.claim(1, QUEUE, NONE);
			}
			this.store.pass(BatchLine.PAUSE_NANOS);
			this.store.answers.add(items("Ten", 1, 10));
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			assertThat(this.store.looks).isEqualTo(11);
			assertThat(this.lines.untilLook(this.store.now())).isBetween(1L, 2 * this.store.claimNanos);
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
			this.lines.woken();
			this.store.failureOfLook = StoreExceptions.timeout();
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			this.store.starts.clear();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).as("it pauses").isEmpty();
		}, Ten.class);
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
			BatchLook look = this.lines.look(QUEUE, now);
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
			assertThat(this.lines.untilLook(this.store.now())).as("nobody spoke").isEqualTo(Long.MAX_VALUE);
			this.lines.woken();
			assertThat(this.lines.untilLook(this.store.now())).isLessThanOrEqualTo(Duration.ofHours(1).toNanos());
		});
	}

	@Test
	void aLookThatShouldHaveComeWhileAllQueuesArePausedIsNotOwed() {
		claim(AtOnce.class, (claims) -> {
			this.lines.woken();
			assertThat(this.lines.untilLook(this.store.now())).isZero();
			claims.claim(1, List.of(), NONE);
			assertThat(this.lines.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void aLookThatCameInTimeAndSawNothingIsNotPlannedAgain() {
		claim(AtOnce.class, (claims) -> {
			this.lines.woken();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.lines.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void noLookIsPlannedForAJobThatMayNotHaveAnotherBatch() {
		this.store.answers.add(items("OneByOne", 1, 10));
		claim(OneByOne.class, (claims) -> {
			this.lines.woken();
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1));
			assertThat(this.lines.untilLook(this.store.now())).isEqualTo(Long.MAX_VALUE);
		});
	}

	@Test
	void looksAreNotCloserThanThePauseBetweenThem() {
		claim(AtOnce.class, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			this.lines.woken();
			assertThat(this.lines.untilLook(this.store.now() - Duration.ofSeconds(1).toNanos()))
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
			assertThat(this.lines.untilLook(this.store.now())).isPositive();
		});
	}

}
