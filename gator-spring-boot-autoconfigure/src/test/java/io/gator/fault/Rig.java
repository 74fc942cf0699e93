package io.gator.fault;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.GatorStores;
import io.gator.store.Migration;
import io.gator.store.WorkerStore;
import io.gator.test.DatabaseHandle;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The stores of a process on a test database, perhaps with a bug, and the identities of
 * its pools: what is decided in SQL can be shown without any thread.
 */
final class Rig {

	private final GatorStores stores;

	private final JdbcClient jdbc;

	Rig(DatabaseHandle database, KnownBug... bugs) {
		new Migration(database.createDataSource(), "public", true).afterPropertiesSet();
		this.stores = GatorStores.open(database.hikari(4), "public", Duration.ofSeconds(10), true);
		this.jdbc = database.jdbc();
		this.jdbc.sql("truncate gator_job, gator_dead_job, gator_job_history, gator_queue, gator_worker").update();
		for (KnownBug bug : bugs) {
			bug.into(this.stores);
		}
	}

	GatorStores stores() {
		return this.stores;
	}

	JdbcClient jdbc() {
		return this.jdbc;
	}

	/** A pool that is dead soon if it does not beat. */
	long pool() {
		return pool(Duration.ofMillis(10), Duration.ofMillis(100));
	}

	long pool(Duration heartbeat, Duration lease) {
		return this.stores.workers()
			.register(
					new WorkerStore.Registration("default", "here", 1, heartbeat, lease, Set.of(), Set.of("Work"), 10));
	}

	void insert(int count) {
		this.jdbc
			.sql("insert into gator_job (queue, name, args) select 'default', 'Work', '[]' from generate_series(1, ?)")
			.param(count)
			.update();
	}

	List<ClaimedJob> claim(long pool, int most) {
		return this.stores.jobs()
			.claim(new ClaimRequest(pool, Set.of("Work"),
					List.of(new ClaimRequest.Share("default", most, 0, Double.NEGATIVE_INFINITY)), most));
	}

	/**
	 * Let the lease of a pool be over. Not before the server was started: who has not
	 * been heard since a restart gets the time to come back.
	 */
	void expire(long pool) {
		this.jdbc
			.sql("update gator_worker set beat_at = greatest(now() - interval '1 minute',"
					+ " pg_postmaster_start_time() + interval '1 millisecond') where id = ?")
			.param(pool)
			.update();
	}

	List<Long> rescue(Long... alive) {
		return this.stores.workers().rescue(List.of(alive), true);
	}

	<T> T ask(String sql, Class<T> type) {
		return this.jdbc.sql(sql).query(type).single();
	}

}
