package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What other processes hear of dispatches.
 */
class NotifierTests {

	private static final Duration PAUSE = Duration.ofMillis(10);

	private final Queue<Set<String>> sent = new ConcurrentLinkedQueue<>();

	private volatile boolean failing;

	private final Notifier notifier = new Notifier(new FakeJobStore() {
		@Override
		public void notifyWork(Collection<String> queues) {
			NotifierTests.this.sent.add(Set.copyOf(queues));
			if (NotifierTests.this.failing) {
				throw StoreExceptions.data();
			}
		}
	});

	@AfterEach
	void end() {
		this.notifier.destroy();
	}

	@Test
	void manyDispatchesAreOneNotificationInTenMillisecondsAndNoQueueIsForgotten() {
		long begin = System.nanoTime();
		List<String> names = new ArrayList<>();
		for (int i = 0; System.nanoTime() - begin < 20 * PAUSE.toNanos(); i++) {
			String name = "q" + (i % 100);
			names.add(name);
			this.notifier.notify(Set.of(name));
		}
		this.notifier.notify(Set.of("last"));
		await().until(() -> this.sent.stream().anyMatch((queues) -> queues.contains("last")));
		assertThat(names).hasSizeGreaterThan(1000);
		assertThat(this.sent).hasSizeLessThanOrEqualTo((int) ((System.nanoTime() - begin) / PAUSE.toNanos()) + 6);
		assertThat(this.sent).allSatisfy((queues) -> assertThat(queues).isNotEmpty());
		assertThat(this.sent.stream().flatMap(Set::stream).toList()).containsAll(Set.copyOf(names));
	}

	@Test
	void oneThatCannotBeSentDoesNotKeepTheNextBack() {
		this.failing = true;
		this.notifier.notify(Set.of("first"));
		await().until(() -> !this.sent.isEmpty());
		this.failing = false;
		this.notifier.notify(Set.of("second"));
		await().until(() -> this.sent.contains(Set.of("second")));
	}

}
