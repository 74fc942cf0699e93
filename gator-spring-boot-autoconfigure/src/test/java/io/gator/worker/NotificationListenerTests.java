package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.gator.store.Notifications;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * P9: of what pools are told by the session that listens.
 */
class NotificationListenerTests {

	private static final int LONG = 30_000;

	private final BlockingQueue<List<String>> said = new LinkedBlockingQueue<>();

	private final Notifications.Session session = mock(Notifications.Session.class);

	private final Notifications notifications = mock(Notifications.class);

	private final WorkerPool pool = mock(WorkerPool.class);

	private NotificationListener listener;

	@BeforeEach
	void create() {
		given(this.session.await(any())).willAnswer((call) -> {
			List<String> queues = this.said.poll(call.getArgument(0, Duration.class).toNanos(), TimeUnit.NANOSECONDS);
			if (queues != null && queues.isEmpty()) {
				throw StoreExceptions.answerLost();
			}
			return (queues != null) ? queues : List.of();
		});
		given(this.pool.settings()).willReturn(TestSettings.slots(1).get());
		this.listener = new NotificationListener(this.notifications, List.of(this.pool), Duration.ofSeconds(1));
	}

	@AfterEach
	void stop() {
		this.listener.stop();
	}

	@Test
	void eachSessionBeginsWithALookForWhatWasSaidBeforeIt() throws Exception {
		given(this.notifications.open()).willReturn(this.session);
		this.listener.start();
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.ANYWHERE));
		this.said.add(List.of());
		verify(this.pool, timeout(LONG).times(2)).wake(List.of(Notifications.ANYWHERE));
		assertThat(this.listener.isListening()).isTrue();
	}

	@Test
	void whatIsSaidReachesThePoolsAndAPoolThatIsAskedToBeatsBeforeItLooks() throws Exception {
		given(this.notifications.open()).willReturn(this.session);
		this.listener.start();
		this.said.add(List.of("a", "b"));
		verify(this.pool, timeout(LONG)).wake(List.of("a", "b"));
		this.said.add(List.of(Notifications.CHANGE));
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.CHANGE));
		InOrder order = inOrder(this.pool);
		order.verify(this.pool).wake(List.of("a", "b"));
		order.verify(this.pool).beat();
		order.verify(this.pool).wake(List.of(Notifications.CHANGE));
	}

	@Test
	void whereThereIsNoMemoryToTellThatASessionBrokeItIsToldBeforeTheNextOne() throws Exception {
		given(this.pool.identities()).willReturn(List.of(7L));
		given(this.session.lock(7)).willReturn(true);
		given(this.notifications.open()).willReturn(this.session);
		willThrow(new OutOfMemoryError()).willDoNothing().given(this.pool).lockLost(7, false);
		this.listener.start();
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.ANYWHERE));
		this.said.add(List.of());
		verify(this.pool, timeout(LONG).times(2)).wake(List.of(Notifications.ANYWHERE));
		InOrder order = inOrder(this.pool);
		order.verify(this.pool, times(2)).lockLost(7, false);
		order.verify(this.pool).wake(List.of(Notifications.ANYWHERE));
	}

	@Test
	void wherePoolersStandInBetweenNobodyWaitsForALock() throws Exception {
		willThrow(mock(Notifications.PooledException.class)).given(this.notifications).open();
		this.listener.start();
		verify(this.pool, timeout(LONG)).expectLock(false);
		InOrder order = inOrder(this.pool);
		order.verify(this.pool).expectLock(true);
		order.verify(this.pool).expectLock(false);
		assertThat(this.listener.isListening()).isFalse();
	}

}
