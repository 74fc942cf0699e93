package io.gator.dispatch;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.gator.store.DispatchStore;
import io.gator.store.Inserted;
import io.gator.store.NewArgs;
import io.gator.store.NewJob;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a dispatcher writes the name of a queue.
 */
class QueueRegistrarTests {

	private final Names names = new Names();

	private final AtomicLong second = new AtomicLong();

	private final QueueRegistrar registrar = new QueueRegistrar(this.names,
			() -> TimeUnit.SECONDS.toNanos(this.second.get()));

	@Test
	void aNameIsWrittenOnceAMinute() {
		register("a", 0);
		register("a", 30);
		register("b", 30);
		assertThat(this.names.written).containsExactly("a", "b");
		register("a", 62);
		register("a", 63);
		register("b", 63);
		register("a", 110);
		assertThat(this.names.written).containsExactly("a", "b", "a", "b");
		register("a", 123);
		assertThat(this.names.written).containsExactly("a", "b", "a", "b", "a");
	}

	@Test
	void aFailureStopsNoDispatchAndIsTriedAgainAfterAPauseByADispatchToAnyQueue() {
		this.names.broken = true;
		register("a", 1);
		this.names.broken = false;
		register("b", 2);
		assertThat(this.names.written).isEmpty();
		register("c", 4);
		assertThat(this.names.written).containsExactlyInAnyOrder("a", "b", "c");
	}

	@Test
	void ofMoreThanTenThousandNamesNotAllAreRemembered() {
		for (int i = 0; i <= 10_000; i++) {
			register("name-" + i, 0);
		}
		register("name-0", 0);
		assertThat(this.names.written).hasSize(10_002);
	}

	@Test
	void ofMoreThanTenThousandNamesThatCannotBeWrittenNotAllAreKept() {
		this.names.broken = true;
		for (int i = 0; i <= 10_000; i++) {
			register("name-" + i, 0);
		}
		this.names.broken = false;
		register("name-0", 4);
		assertThat(this.names.written).hasSize(10_000);
	}

	@Test
	void thePauseAfterAFailureBeginsWhenTheFailureHasCome() {
		this.names.broken = true;
		this.names.takesSeconds = 10;
		register("a", 1);
		this.names.broken = false;
		register("a", 12);
		assertThat(this.names.written).isEmpty();
		register("a", 13);
		assertThat(this.names.written).containsExactly("a");
	}

	@Test
	void whoComesWhileNamesAreWrittenDoesNotWaitAndItsNameIsWrittenAsWell() throws Exception {
		CountDownLatch writing = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.names.onWrite = () -> {
			writing.countDown();
			assertThat(goOn.await(10, TimeUnit.SECONDS)).isTrue();
			return null;
		};
		CompletableFuture<Void> first = CompletableFuture.runAsync(() -> this.registrar.register("a"));
		assertThat(writing.await(10, TimeUnit.SECONDS)).isTrue();
		this.registrar.register("b");
		assertThat(this.names.written).isEmpty();
		goOn.countDown();
		first.get(10, TimeUnit.SECONDS);
		assertThat(this.names.written).containsExactlyInAnyOrder("a", "b");
	}

	private void register(String queue, long second) {
		this.second.set(second);
		this.registrar.register(queue);
	}

	private final class Names implements DispatchStore {

		private final List<String> written = new CopyOnWriteArrayList<>();

		private boolean broken;

		private long takesSeconds;

		private Callable<?> onWrite = () -> null;

		@Override
		public Inserted insert(Connection connection, NewJob job, NewArgs args) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Inserted insertMany(Connection connection, NewJob job, List<NewArgs> each) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void register(String queue) {
			QueueRegistrarTests.this.second.addAndGet(this.takesSeconds);
			try {
				this.onWrite.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			if (this.broken) {
				throw new IllegalStateException("no");
			}
			this.written.add(queue);
		}

	}

}
