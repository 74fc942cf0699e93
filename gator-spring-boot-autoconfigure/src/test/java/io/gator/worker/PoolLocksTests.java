package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.gator.store.Notifications;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * P7: which pools learn that the lock that shows their life may be free.
 */
class PoolLocksTests {

	private static final long ID = 7;

	private final WorkerPool pool = mock(WorkerPool.class);

	private final Notifications.Session session = mock(Notifications.Session.class);

	private final PoolLocks locks = new PoolLocks(List.of(this.pool));

	@BeforeEach
	void identify() {
		given(this.pool.identities()).willReturn(List.of(ID));
	}

	@Test
	void aPoolLosesItsLockWithTheSessionThatHadItAndAsksTheNextOneAtOnce() {
		given(this.session.lock(ID)).willReturn(true);
		this.locks.acquire(this.session);
		this.locks.acquire(this.session);
		verify(this.session, times(1)).lock(ID);
		verify(this.pool, times(1)).lockAsked(ID);
		this.locks.lost(new IllegalStateException("cut off"));
		verify(this.pool).lockLost(ID, false);
		Notifications.Session next = mock(Notifications.Session.class);
		given(next.lock(ID)).willReturn(true);
		this.locks.acquire(next);
		verify(next).lock(ID);
		verify(this.pool, times(2)).lockAsked(ID);
	}

	@Test
	void aLockWhoseAnswerWasLostMayHaveBeenHadAndIsLost() {
		given(this.session.lock(ID)).willThrow(StoreExceptions.answerLost());
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.locks.acquire(this.session));
		this.locks.lost(StoreExceptions.answerLost());
		verify(this.pool).lockLost(ID, false);
	}

	@Test
	void aLockThatAnotherSessionStillHasIsNotLostWithThisOne() {
		given(this.session.lock(ID)).willReturn(false);
		this.locks.acquire(this.session);
		verify(this.pool).lockAsked(ID);
		this.locks.lost(new IllegalStateException("cut off"));
		verify(this.pool, never()).lockLost(anyLong(), anyBoolean());
	}

	@Test
	void aLockThatAnotherSessionStillHasIsAskedForOnceAnInterval() {
		long now = Duration.ofHours(1).toNanos();
		this.locks.acquire(this.session, now);
		now += PoolLocks.RETRY_INTERVAL.toNanos();
		this.locks.acquire(this.session, now);
		verify(this.session, times(1)).lock(ID);
		given(this.session.lock(ID)).willReturn(true);
		this.locks.acquire(this.session, ++now);
		verify(this.session, times(2)).lock(ID);
		this.locks.acquire(this.session, now + 2 * PoolLocks.RETRY_INTERVAL.toNanos());
		verify(this.session, times(2)).lock(ID);
	}

	@Test
	void locksAreGivenBackOnceAnInterval() {
		long now = Duration.ofHours(1).toNanos();
		given(this.session.lock(anyLong())).willReturn(true);
		this.locks.acquire(this.session, now);
		verify(this.session, never()).unlockRetired(any());
		given(this.pool.identities()).willReturn(List.of(ID + 1));
		given(this.session.unlockRetired(Set.of(ID))).willReturn(Set.of());
		this.locks.acquire(this.session, now);
		now += PoolLocks.RELEASE_INTERVAL.toNanos();
		this.locks.acquire(this.session, now);
		verify(this.session, times(1)).unlockRetired(Set.of(ID));
		this.locks.acquire(this.session, ++now);
		verify(this.session, times(2)).unlockRetired(Set.of(ID));
	}

	@Test
	void locksOfRetiredIdentitiesAreGivenBackAndThoseOfOthersKept() {
		given(this.session.lock(anyLong())).willReturn(true);
		this.locks.acquire(this.session);
		given(this.pool.identities()).willReturn(List.of(ID + 1));
		given(this.session.unlockRetired(Set.of(ID))).willReturn(Set.of());
		this.locks.acquire(this.session);
		this.locks.lost(new IllegalStateException("cut off"));
		verify(this.pool).lockLost(ID, false);
		verify(this.pool).lockLost(ID + 1, false);
	}

	@Test
	void aLockThatWasGivenBackIsNotLost() {
		given(this.session.lock(anyLong())).willReturn(true);
		this.locks.acquire(this.session);
		given(this.pool.identities()).willReturn(List.of(ID + 1));
		given(this.session.unlockRetired(Set.of(ID))).willReturn(Set.of(ID));
		this.locks.acquire(this.session);
		this.locks.lost(new IllegalStateException("cut off"));
		verify(this.pool, never()).lockLost(ID, false);
		verify(this.pool).lockLost(ID + 1, false);
	}

	@Test
	void aSessionThatCannotBeOpenedAgainTakesNothingMore() {
		given(this.session.lock(ID)).willReturn(true);
		this.locks.acquire(this.session);
		this.locks.lost(StoreExceptions.shutdown());
		verify(this.pool).lockLost(ID, true);
		this.locks.lost(StoreExceptions.passing());
		verify(this.pool, times(1)).lockLost(anyLong(), anyBoolean());
	}

}
