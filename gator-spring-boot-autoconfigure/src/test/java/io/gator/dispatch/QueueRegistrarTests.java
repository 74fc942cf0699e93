package io.gator.dispatch;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

	private final QueueRegistrar registrar = new QueueRegistrar(this.names);

	private final long start = System.nanoTime();

	@Test
	void aNameIsWrittenOnceAMinute() {
		register("a", 0);
		register("a", 30);
		register("b", 30);
		assertThat(this.names.written).containsExactly("a", "b");
		register("a", 62);
		register("a", 63);
		register("b", 63);
		assertThat(this.names.written).containsExactly("a", "b", "a", "b");
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

	private void register(String queue, long second) {
		this.registrar.register(queue, this.start + TimeUnit.SECONDS.toNanos(second));
	}

	private static final class Names implements DispatchStore {

		private final List<String> written = new ArrayList<>();

		private boolean broken;

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
			if (this.broken) {
				throw new IllegalStateException("no");
			}
			this.written.add(queue);
		}

	}

}
