package io.gator.store;

import java.time.Duration;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What people ask for where tables are so large that the first way takes longer than a
 * statement may.
 */
@FreshDatabase
class SlowAdminTests {

	private final DatabaseHandle database;

	private final AdminStore admin;

	SlowAdminTests(DatabaseHandle database) {
		this.database = database;
		JobTable.empty(database);
		this.admin = GatorStores
			.open(database.createDataSource("statement_timeout=2s"), "public", Duration.ofSeconds(10), true)
			.admin();
	}

	@BeforeEach
	void slowDown() {
		this.database.jdbc().sql("""
				alter view gator_jobs rename to all_jobs;
				create view gator_jobs as select all_jobs.* from all_jobs, pg_sleep(3);
				create function slow() returns trigger language plpgsql as $$ begin
				    if (select count(*) from gone) > 1 then perform pg_sleep(5); end if;
				    return null;
				end $$;
				create trigger slow after delete on gator_dead_job referencing old table as gone
				    for each statement execute function slow();
				""").update();
	}

	@AfterEach
	void speedUp() {
		this.database.jdbc().sql("""
				drop view gator_jobs;
				alter view all_jobs rename to gator_jobs;
				drop function slow cascade;
				drop function if exists steal cascade;
				truncate gator_dead_job, gator_job_history;
				""").update();
	}

	@Test
	void aJobIsFoundPartByPartInAHistoryThatCannotBeSearchedAtOnce() {
		this.database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at)
				select i, 'default', 'Work', case i when 2 then 'CANCELLED' else 'SUCCEEDED' end, 1, 1, now()
				  from generate_series(1, 3) i
				""").update();
		assertThat(this.admin.find(1)).get().returns(JobState.SUCCEEDED, StoredJob::state);
		assertThat(this.admin.find(2)).get().returns(JobState.CANCELLED, StoredJob::state);
		assertThat(this.admin.find(4)).isEmpty();
	}

	@Test
	void deadJobsThatCannotBeDiscardedTogetherAreDiscardedOneByOne() {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select i, 'default', 'Work', '[]', 1, 1, now() from generate_series(1, 5) i
				""").update();
		assertThat(this.admin.discardSome(JobQuery.of(JobState.DEAD))).extracting(AdminStore.Discarded::id)
			.containsExactly(1L, 2L, 3L, 4L, 5L);
		assertThat(this.database.jdbc().sql("select count(*) from gator_dead_job").query(Long.class).single()).isZero();
	}

	/** The chunk was full, so there may be more behind it. */
	@Test
	void aDeadJobThatSomebodyElseTakesMeanwhileIsFoundAllTheSame() {
		this.database.jdbc().sql("""
				create function steal() returns trigger language plpgsql as
				    'begin delete from gator_dead_job where id = 5; return null; end';
				create trigger steal after delete on gator_dead_job for each row when (old.id = 1)
				    execute function steal();
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select i, 'default', 'Work', '[]', 1, 1, now() from generate_series(1, 5) i
				""").update();
		assertThat(this.admin.discardSome(JobQuery.of(JobState.DEAD))).contains(new AdminStore.Discarded(4, true),
				new AdminStore.Discarded(5, false));
	}

}
