package io.gator.maintenance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.store.TestClock;
import io.gator.store.WorkerStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

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

	@Test
	void whatIsRescuedIsToldEachTimeAndOnlyIfItIsAnything() {
		List<Long> own = List.of(7L);
		WorkerStore store = mock(WorkerStore.class);
		given(store.rescue(own, true)).willReturn(List.of(1L, 2L));
		given(store.rescue(own, false)).willReturn(List.of(3L));
		given(store.isOldest(own)).willReturn(true);
		given(store.rescueOrphans()).willReturn(List.of(4L, 5L, 6L)).willReturn(List.of());
		List<Integer> told = new ArrayList<>();
		Rescuer rescuer = new Rescuer(store, () -> own, told::add);
		assertThat(rescuer.runOnce(true)).isEqualTo(2);
		assertThat(rescuer.runThoroughly()).isEqualTo(4);
		assertThat(rescuer.runThoroughly()).isEqualTo(1);
		assertThat(told).containsExactly(2, 1, 3, 1);
	}

	/** Of a process with one pool. */
	private Rescuer rescuer(WorkerStore store) {
		long pool = store.register(new WorkerStore.Registration("default", "here", 1, Duration.ofMinutes(1),
				Duration.ofHours(1), Set.of(), Set.of("Work"), 10));
		return new Rescuer(store, () -> List.of(pool), this.rescued::addAndGet);
	}

}
