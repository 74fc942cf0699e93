package io.gator.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.store.TestClock;
import io.gator.store.WorkerStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@FreshDatabase
class RescuerTests {

	private final AtomicInteger rescued = new AtomicInteger();

	@Test
	void ofAllProcessesOnlyTheOneWithTheOldestPoolReadsTheWholeTable(DatabaseHandle database) {
		WorkerStore store = new TestClock(database).stores().workers();
		Rescuer first = rescuer(store);
		Rescuer second = rescuer(store);
		database.jdbc().sql("""
				insert into gator_job (queue, name, args, attempts, lease, reserved_by, reserved_at)
				values ('default', 'Work', '[]', 1, 1, 1000, now())
				""").update();
		assertThat(second.runThoroughly()).isZero();
		assertThat(first.runThoroughly()).isOne();
		assertThat(this.rescued).hasValue(1);
	}

	/** Of a process with one pool. */
	private Rescuer rescuer(WorkerStore store) {
		long pool = store.register(new WorkerStore.Registration("default", "here", 1, Duration.ofMinutes(1),
				Duration.ofHours(1), Set.of(), Set.of("Work"), 10));
		return new Rescuer(store, () -> List.of(pool), this.rescued::addAndGet);
	}

}
