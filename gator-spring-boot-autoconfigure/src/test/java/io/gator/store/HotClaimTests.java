package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.Test;

import static io.gator.store.StoreTables.share;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A claim touches no index: no index names what it writes, and the page has room.
 */
@FreshDatabase
class HotClaimTests {

	private static final int JOBS = 2_000;

	private final DatabaseHandle database;

	HotClaimTests(DatabaseHandle database) {
		this.database = database;
		JobTable.empty(database);
	}

	@Test
	void claimsAndReleasesAreHot() {
		// A vacuum would be a help that a claim must not need.
		this.database.jdbc().sql("alter table gator_job set (autovacuum_enabled = false)").update();
		this.database.jdbc().sql("""
				insert into gator_job (queue, name, args, next_execution_at, unique_key)
				select 'a', 'Work', '[1]', case when n % 2 = 0 then now() - interval '1 minute' end,
				       case when n % 3 = 0 then 'key ' || n end
				  from generate_series(1, ?) as n
				""").param(JOBS).update();
		long expected = 0;
		try (HikariDataSource engine = this.database.hikari(1)) {
			JobStore store = GatorStores.open(engine, "public", Duration.ofSeconds(10), true).jobs();
			for (List<ClaimedJob> claimed = claim(store); !claimed.isEmpty(); claimed = claim(store)) {
				// A few go back once, and are claimed again.
				List<Settlement.Requeued> released = claimed.stream()
					.filter((job) -> job.lease() == 1 && job.id() % 10 == 0)
					.map(Settlement.Requeued::released)
					.toList();
				assertThat(store.settle(Settlement.Requeued.class, released)).isEmpty();
				expected += claimed.size() + released.size();
			}
		}
		// A session tells its statistics at its end at the latest.
		long updates = expected;
		await().until(() -> updates("n_tup_upd") == updates);
		assertThat(updates).isEqualTo(JOBS + JOBS / 10 * 2);
		assertThat(updates("n_tup_hot_upd")).isEqualTo(updates);
	}

	private static List<ClaimedJob> claim(JobStore store) {
		return store.claim(new ClaimRequest(1, Set.of("Work"), List.of(share("a", 100), share("b", 100)), 100));
	}

	@Test
	void noIndexNamesWhatAClaimWrites() {
		assertThat(named()).containsExactlyInAnyOrder("id", "queue", "next_execution_at", "unique_key");
	}

	@Test
	void anIndexThatNamesWhatAClaimWritesWouldBeSeenWhereverItDoes() {
		for (String bad : List.of("(lease)", "(id) include (attempts)", "(id) where reserved_by is null",
				"((coalesce(reserved_at, created_at)))")) {
			this.database.jdbc().sql("create index bad on gator_job " + bad).update();
			assertThat(named()).as(bad).containsAnyOf("reserved_by", "reserved_at", "lease", "attempts");
			this.database.jdbc().sql("drop index bad").update();
		}
	}

	/** The columns in keys, included columns, expressions and predicates. */
	private List<String> named() {
		return this.database.jdbc().sql("""
				select a.attname
				  from pg_index i
				  join pg_attribute a on a.attrelid = i.indrelid
				 where i.indrelid = 'gator_job'::regclass
				   and (a.attnum = any(i.indkey::int2[])
				        or exists (select 1
				                     from pg_depend d
				                    where d.classid = 'pg_class'::regclass
				                      and d.objid = i.indexrelid
				                      and d.refclassid = 'pg_class'::regclass
				                      and d.refobjid = i.indrelid
				                      and d.refobjsubid = a.attnum))
				 group by a.attname
				""").query(String.class).list();
	}

	private long updates(String counter) {
		return this.database.jdbc()
			.sql("select " + counter + " from pg_stat_user_tables where relname = 'gator_job'")
			.query(Long.class)
			.single();
	}

}
