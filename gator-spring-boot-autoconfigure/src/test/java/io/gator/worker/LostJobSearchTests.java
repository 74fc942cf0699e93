package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When a pool looks for what a claim has reserved whose answer was lost, and when it may
 * be certain that there is nothing more. The claim was lost at the time 0, and the server
 * ends it within eleven seconds.
 */
class LostJobSearchTests extends AbstractMembershipTests {

	private final Table table = new Table();

	private final LostJobSearch search = new LostJobSearch(7, 0, seconds(11));

	@Test
	void aSearchLooksAtOnceAndAgainUntilTheServerHasEndedTheClaim() {
		List<Long> looks = new ArrayList<>();
		for (long now = 0; !this.search.isOver(); now += this.search.untilStep(now)) {
			assertThat(looks).as("without an end").hasSizeLessThan(10);
			assertThat(this.search.untilStep(now)).isZero();
			assertThat(this.search.step(this.table, List.of(), now)).isZero();
			looks.add(now / seconds(1));
			if (this.search.isOver()) {
				break;
			}
		}
		assertThat(looks).containsExactly(0L, 1L, 2L, 4L, 8L, 11L);
		assertThat(this.search.untilStep(seconds(11))).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aLookThatBeganBeforeTheClaimHadEndedIsNotTheLastOneHoweverLongItTakes() {
		this.table.next.addAll(List.of(4096L, 8192L, 0L));
		assertThat(this.search.step(this.table, List.of(), seconds(10))).isZero();
		assertThat(this.search.step(this.table, List.of(), seconds(12))).isZero();
		assertThat(this.search.step(this.table, List.of(), seconds(14))).isZero();
		assertThat(this.table.pages).containsExactly(0L, 4096L, 8192L);
		assertThat(this.search.isOver()).as("the claim may have reserved something where it had been").isFalse();
		assertThat(this.search.untilStep(seconds(14))).isZero();
		assertThat(this.search.step(this.table, List.of(), seconds(14))).isZero();
		assertThat(this.search.isOver()).isTrue();
	}

	@Test
	void aLookThatLeavesAJobWhoseRowSomebodyHoldsIsNotTheLastOne() {
		this.table.left = 1;
		this.search.step(this.table, List.of(), seconds(12));
		assertThat(this.search.isOver()).isFalse();
		assertThat(this.search.untilStep(seconds(12))).isEqualTo(seconds(3));
		this.search.step(this.table, List.of(), seconds(100));
		assertThat(this.search.untilStep(seconds(100))).as("ever less often").isEqualTo(seconds(25));
		this.table.left = 0;
		this.search.step(this.table, List.of(), seconds(125));
		assertThat(this.search.isOver()).isTrue();
	}

	@Test
	void aStepThatFailsIsTriedAgainASecondLaterInTheSamePlaceAndIsNewsOnce() {
		this.table.next.addAll(List.of(4096L, 0L));
		this.search.step(this.table, List.of(), seconds(11));
		for (boolean news : List.of(true, false)) {
			this.table.failures.add(StoreExceptions.passing());
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> this.search.step(this.table, List.of(), seconds(12)));
			assertThat(this.search.failed(seconds(12))).isEqualTo(news);
			assertThat(this.search.untilStep(seconds(12))).isEqualTo(seconds(1));
		}
		this.search.step(this.table, List.of(), seconds(13));
		assertThat(this.table.pages).containsExactly(0L, 4096L, 4096L, 4096L);
		assertThat(this.search.isOver()).isTrue();
		assertThat(this.search.failed(seconds(14))).isTrue();
	}

	@Test
	void aPoolThatFindsSomethingIsToldSoAndGoesOnWhereTheDatabaseFails() {
		Membership membership = membership();
		membership.renew();
		AtomicInteger told = new AtomicInteger();
		LostJobSearches searches = new LostJobSearches("default", this.table, membership, told::incrementAndGet);
		this.table.failures.add(StoreExceptions.passing());
		this.table.released = 2;
		assertThat(searches.step()).isPositive();
		assertThat(told).hasValue(0);
		membership.renew();
		membership.require();
		membership.renew();
		searches.step();
		assertThat(told).as("or the jobs would wait for the next poll").hasPositiveValue();
	}

	@Test
	void ofSeveralSearchesTheOneThatIsDueFirstSaysWhenToGoOn() {
		Membership membership = newMembership();
		for (int i = 0; i < 2; i++) {
			membership.require();
			membership.renew();
		}
		this.table.next.add(4096L);
		long until = new LostJobSearches("default", this.table, membership, () -> {
		}).step();
		assertThat(this.table.pages).containsExactly(0L, 0L);
		assertThat(until).as("the first search is in the middle of its look").isZero();
	}

	@Test
	void aClaimThatWasLostUnderAnIdentityWhichABeatHasRenewedIsSearchedForFromThenOn() {
		Membership membership = membership();
		membership.renew();
		LostJobSearch before = membership.searches().get(0);
		membership.renew();
		assertThat(membership.searches()).hasSize(1).doesNotContain(before);
	}

	private static long seconds(long seconds) {
		return Duration.ofSeconds(seconds).toNanos();
	}

	/** Answers with the pages where to go on, and then with the end. */
	private static final class Table extends FakeJobStore {

		final Deque<Long> next = new ArrayDeque<>();

		final List<Long> pages = new ArrayList<>();

		int released;

		int left;

		@Override
		public SearchStep releaseLost(long worker, Collection<Long> known, long page) {
			assertThat(worker).isEqualTo(7);
			this.pages.add(page);
			failIfTold();
			Long next = this.next.poll();
			return new SearchStep(this.released, this.left, (next != null) ? next : 0);
		}

	}

}
