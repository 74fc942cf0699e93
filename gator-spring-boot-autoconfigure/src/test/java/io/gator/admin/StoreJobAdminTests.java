package io.gator.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.routing.ArgsCodec;
import io.gator.store.AdminStore;
import io.gator.store.AdminStore.Cancellation;
import io.gator.store.AdminStore.Discarded;
import io.gator.store.AdminStore.Retried;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Who is told of what an administrator does.
 */
class StoreJobAdminTests {

	private static final JobQuery FIRST = JobQuery.of(JobState.DEAD).limit(1_000);

	private final AdminStore store = mock(AdminStore.class);

	private final List<Set<String>> woken = new ArrayList<>();

	private int changes;

	private final StoreJobAdmin admin = new StoreJobAdmin(this.store, new ArgsCodec(List.of(), 1_000),
			(queues) -> this.woken.add(Set.copyOf(queues)), () -> this.changes++);

	@Test
	void thePoolsOfThisProcessAndThoseOfOthersHearAtOnceOfWhatIsPausedResumedOrToBeStopped() {
		this.admin.pause("mail");
		assertThat(this.changes).isOne();
		then(this.store).should().notifyChange();
		this.admin.resume("mail");
		assertThat(this.changes).isEqualTo(2);
		then(this.store).should(times(2)).notifyChange();
		given(this.store.cancel(7)).willReturn(Cancellation.ASKED);
		assertThat(this.admin.cancel(7)).isTrue();
		assertThat(this.changes).isEqualTo(3);
		then(this.store).should(times(3)).notifyChange();
	}

	@Test
	void nobodyHearsOfAJobThatIsCancelledBeforeItRan() {
		given(this.store.cancel(7)).willReturn(Cancellation.DONE);
		given(this.store.cancel(8)).willReturn(Cancellation.NOTHING);
		assertThat(this.admin.cancel(7)).isTrue();
		assertThat(this.admin.cancel(8)).isFalse();
		assertThat(this.changes).isZero();
		then(this.store).should(never()).notifyChange();
	}

	@Test
	void whatIsDoneIsNoErrorThoughThePoolsCannotBeToldOfIt() {
		willThrow(StoreExceptions.passing()).given(this.store).notifyChange();
		given(this.store.cancel(7)).willReturn(Cancellation.ASKED);
		this.admin.pause("mail");
		this.admin.resume("mail");
		assertThat(this.admin.cancel(7)).isTrue();
		assertThat(this.changes).isEqualTo(3);
	}

	@Test
	void thePoolsOfOthersHearOfItBeforeThoseOfThisProcessWhichMayFailToAsk() {
		Runnable own = mock(Runnable.class);
		willThrow(StoreExceptions.passing()).given(own).run();
		new StoreJobAdmin(this.store, new ArgsCodec(List.of(), 1_000), (queues) -> {
		}, own).pause("mail");
		InOrder order = inOrder(this.store, own);
		then(this.store).should(order).notifyChange();
		then(own).should(order).run();
	}

	@Test
	void aQueueThatCannotBeIsNeitherPausedNorResumed() {
		for (Consumer<String> action : List.<Consumer<String>>of(this.admin::pause, this.admin::resume)) {
			assertThatIllegalArgumentException().isThrownBy(() -> action.accept("no queue"))
				.withMessageStartingWith("'no queue' is not a valid queue name");
		}
		then(this.store).shouldHaveNoInteractions();
	}

	@Test
	void thePoolsHearOfAJobThatIsRetried() {
		given(this.store.retry(7)).willReturn(Optional.of("mail"));
		given(this.store.retry(8)).willReturn(Optional.empty());
		assertThat(this.admin.retry(7)).isTrue();
		assertThat(this.admin.retry(8)).isFalse();
		assertThat(this.woken).containsExactly(Set.of("mail"));
	}

	@Test
	void thePoolsHearOfAJobThatIsRescheduledAsTheyMayHaveToWakeEarlier() {
		Instant time = Instant.parse("2030-01-31T09:00:00Z");
		given(this.store.reschedule(7, time)).willReturn(Optional.of("mail"));
		given(this.store.reschedule(8, time)).willReturn(Optional.empty());
		assertThat(this.admin.reschedule(7, time)).isTrue();
		assertThat(this.admin.reschedule(8, time)).isFalse();
		assertThat(this.woken).containsExactly(Set.of("mail"));
	}

	@Test
	void aTimeThatNobodyMeansIsRefusedAndOneThatIsLongPastIsTaken() {
		for (Instant time : new Instant[] { null, Instant.MAX, Instant.now().plus(Duration.ofDays(3654)) }) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.admin.reschedule(7, time))
				.withMessage("The time of job 7 is " + time + ", but must be at most ten years ahead");
		}
		then(this.store).shouldHaveNoInteractions();
		given(this.store.reschedule(7, Instant.EPOCH)).willReturn(Optional.of("mail"));
		assertThat(this.admin.reschedule(7, Instant.MIN)).isTrue();
	}

	@Test
	void whatStaysDeadIsNotCountedAsRetried() {
		given(this.store.retrySome(any())).willReturn(List.of(new Retried(1, "mail"), new Retried(2, null)))
			.willReturn(List.of(new Retried(2, null)));
		assertThat(this.admin.retryAll(JobQuery.of(JobState.DEAD))).isOne();
		assertThat(this.admin.retryAll(JobQuery.of(JobState.DEAD))).isZero();
		assertThat(this.woken).containsExactly(Set.of("mail"));
	}

	@Test
	void ofMoreDeadJobsThanAStatementTakesEachIsRetriedOnce() {
		given(this.store.retrySome(FIRST)).willReturn(newestFirst((id) -> new Retried(id, "mail")));
		given(this.store.retrySome(FIRST.after(1_000))).willReturn(List.of(new Retried(1_001, "low")));
		assertThat(this.admin.retryAll(JobQuery.of(JobState.DEAD).limit(7).after(300))).isEqualTo(1_001);
		assertThat(this.woken).containsExactly(Set.of("mail"), Set.of("low"));
	}

	@Test
	void ofMoreDeadJobsThanAStatementTakesEachIsDiscardedOnceAndCountedIfItWasStillDead() {
		given(this.store.discardSome(FIRST)).willReturn(newestFirst((id) -> new Discarded(id, id > 10)));
		given(this.store.discardSome(FIRST.after(1_000))).willReturn(List.of(new Discarded(1_001, true)));
		assertThat(this.admin.discardAll(JobQuery.of(JobState.DEAD).limit(7).after(300))).isEqualTo(991);
	}

	private static <T> List<T> newestFirst(LongFunction<T> job) {
		return LongStream.range(0, 1_000).map((n) -> 1_000 - n).mapToObj(job).toList();
	}

}
