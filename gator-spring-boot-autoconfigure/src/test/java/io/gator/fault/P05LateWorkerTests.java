package io.gator.fault;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * P5: a late worker changes nothing.
 */
@FreshDatabase
class P05LateWorkerTests {

	@Test
	void aSuccessThatComesTooLateChangesNothing(DatabaseHandle database) {
		lateSuccess(new Rig(database));
	}

	@Test
	void aFailureThatComesTooLateChangesNothing(DatabaseHandle database) {
		lateFailure(new Rig(database));
	}

	@Test
	void settlingWithoutTheLeaseWouldBeSeen(DatabaseHandle database) {
		assertThatThrownBy(() -> lateSuccess(new Rig(database, KnownBug.SETTLING_WITHOUT_THE_LEASE)))
			.isInstanceOf(AssertionError.class);
		assertThatThrownBy(() -> lateFailure(new Rig(database, KnownBug.SETTLING_WITHOUT_THE_LEASE)))
			.isInstanceOf(AssertionError.class);
	}

	@Test
	void settlingByStateWouldBeSeen(DatabaseHandle database) {
		assertThatThrownBy(() -> lateSuccess(new Rig(database, KnownBug.SETTLING_BY_STATE)))
			.isInstanceOf(AssertionError.class);
		assertThatThrownBy(() -> lateFailure(new Rig(database, KnownBug.SETTLING_BY_STATE)))
			.isInstanceOf(AssertionError.class);
	}

	private static void lateSuccess(Rig rig) {
		ClaimedJob late = lateClaim(rig);
		Set<Long> lost = rig.stores()
			.jobs()
			.settle(Settlement.Succeeded.class, List.of(new Settlement.Succeeded(late.id(), late.lease(), null, null)));
		assertThat(lost).containsExactly(late.id());
		assertThat(rig.ask("select count(*) from gator_job where reserved_by is not null", Integer.class)).isOne();
		assertThat(rig.ask("select count(*) from gator_job_history", Integer.class)).isZero();
	}

	private static void lateFailure(Rig rig) {
		ClaimedJob late = lateClaim(rig);
		Set<Long> lost = rig.stores()
			.jobs()
			.settle(Settlement.Requeued.class, List.of(new Settlement.Requeued(late.id(), late.lease(),
					Duration.ofMinutes(1), null, "too late", true, 0)));
		assertThat(lost).containsExactly(late.id());
		assertThat(rig.ask("select count(*) from gator_job where reserved_by is not null and lease = 3", Integer.class))
			.isOne();
	}

	/** Claimed by a pool that was silent for so long that another one has the job now. */
	private static ClaimedJob lateClaim(Rig rig) {
		long frozen = rig.pool();
		long other = rig.pool();
		rig.insert(1);
		ClaimedJob late = rig.claim(frozen, 1).get(0);
		rig.expire(frozen);
		assertThat(rig.rescue(other)).containsExactly(late.id());
		assertThat(rig.claim(other, 1)).singleElement().satisfies((job) -> {
			assertThat(job.attempts()).isEqualTo(2);
			assertThat(job.lease()).isGreaterThan(late.lease());
		});
		return late;
	}

}
