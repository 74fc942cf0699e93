package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.gator.store.JobStore;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What other processes hear of dispatches.
 */
class NotifierTests {

	private static final Duration PAUSE = Duration.ofMillis(10);

	private final BlockingQueue<Set<String>> sent = new LinkedBlockingQueue<>();

	/** Whoever holds it keeps the notifier from sending. */
	private final Semaphore gate = new Semaphore(1);

	private volatile boolean failing;

	private final ThreadLocal<String> user = new InheritableThreadLocal<>();

	private final Queue<String> users = new ConcurrentLinkedQueue<>();

	private final JobStore store = new FakeJobStore() {
		@Override
		public void notifyWork(Collection<String> queues) {
			NotifierTests.this.gate.acquireUninterruptibly();
			NotifierTests.this.gate.release();
			boolean fails = NotifierTests.this.failing;
			NotifierTests.this.users.add(Objects.requireNonNullElse(NotifierTests.this.user.get(), "nobody"));
			NotifierTests.this.sent.add(Set.copyOf(queues));
			if (fails) {
				throw StoreExceptions.data();
			}
		}
	};

	private final Notifier notifier = new Notifier(this.store);

	@AfterEach
	void end() {
		this.user.remove();
		this.notifier.destroy();
	}

	@Test
	void noMoreThanOneNotificationIsSentInTenMillisecondsOverTime() throws InterruptedException {
		long begin = System.nanoTime();
		for (int i = 0; i < 20; i++) {
			this.notifier.notify(Set.of("q" + i));
			assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly("q" + i);
		}
		// The last one is the twentieth, and five may be sent ahead.
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(PAUSE.multipliedBy(19 - 5));
	}

	@Test
	void whatIsDispatchedMeanwhileIsOneNotificationAndNoQueueIsForgotten() throws InterruptedException {
		this.gate.acquire();
		this.notifier.notify(Set.of("first"));
		await().until(this.gate::hasQueuedThreads);
		Set<String> names = new HashSet<>();
		for (int i = 0; i < 1000; i++) {
			String name = "q" + (i % 100);
			names.add(name);
			this.notifier.notify(Set.of(name));
		}
		this.gate.release();
		assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly("first");
		assertThat(this.sent.poll(10, TimeUnit.SECONDS)).isEqualTo(names);
		this.notifier.notify(Set.of("last"));
		assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly("last");
	}

	@Test
	void aNotificationDoesNotWaitForTheOneBefore() throws InterruptedException {
		Duration shortest = PAUSE;
		for (int i = 0; i < 20; i++) {
			Notifier fresh = new Notifier(this.store);
			long begin = System.nanoTime();
			for (String queue : List.of("first", "second")) {
				fresh.notify(Set.of(queue));
				assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly(queue);
			}
			Duration taken = Duration.ofNanos(System.nanoTime() - begin);
			shortest = (taken.compareTo(shortest) < 0) ? taken : shortest;
			fresh.destroy();
		}
		assertThat(shortest).isLessThan(PAUSE);
	}

	@Test
	void whatIsDispatchedAfterTheEndIsToldToNobody() {
		this.notifier.destroy();
		assertThatCode(() -> this.notifier.notify(Set.of("late"))).doesNotThrowAnyException();
		assertThat(this.sent).isEmpty();
	}

	@Test
	void aThreadThatCannotBeStartedDoesNotSilenceTheNotifier() throws InterruptedException {
		AtomicBoolean refused = new AtomicBoolean();
		Notifier notifier = new Notifier(this.store, (task) -> {
			if (refused.compareAndSet(false, true)) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return new Thread(task);
		});
		try {
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> notifier.notify(Set.of("first")));
			notifier.notify(Set.of("second"));
			assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactlyInAnyOrder("first", "second");
			notifier.notify(Set.of("third"));
			assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly("third");
		}
		finally {
			notifier.destroy();
		}
	}

	@Test
	void itsThreadInheritsNothingFromTheOneThatNotifies() throws InterruptedException {
		this.user.set("the user of a request");
		this.notifier.notify(Set.of("first"));
		assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly("first");
		assertThat(this.users).containsExactly("nobody");
	}

	@Test
	void aNotificationThatCannotBeSentDoesNotKeepTheNextBack() throws InterruptedException {
		this.failing = true;
		this.notifier.notify(Set.of("first"));
		assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly("first");
		this.failing = false;
		this.notifier.notify(Set.of("second"));
		assertThat(this.sent.poll(10, TimeUnit.SECONDS)).containsExactly("second");
	}

}
