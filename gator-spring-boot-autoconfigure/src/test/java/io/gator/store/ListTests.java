package io.gator.store;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of {@link AdminStore#list}: pages by id, of a state that few of very many
 * jobs are in as of any other.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class ListTests {

	/** More than a page passes over along the key, and more than one range of pages. */
	private static final int MANY = 250_000;

	private final StoreTables tables;

	private final AdminStore admin;

	ListTests(DatabaseHandle database) {
		this.tables = new StoreTables(database);
		this.admin = this.tables.stores().admin();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
	}

	private List<Long> pages(JobQuery query) {
		List<Long> ids = new ArrayList<>();
		for (List<StoredJob> page = this.admin.list(query); !page.isEmpty(); page = this.admin
			.list(query.after(ids.get(ids.size() - 1)))) {
			assertThat(page).hasSizeLessThanOrEqualTo(query.limit()).allMatch((job) -> job.state() == query.state());
			ids.addAll(page.stream().map(StoredJob::id).toList());
		}
		return ids;
	}

	@Test
	void theFewJobsInAStateAreListedInTheOrderOfTheirIdsThoughVeryManyAreInAnother() {
		this.tables.jdbc().sql("""
				insert into gator_job (id, queue, name, args, reserved_by)
				select n, 'default', 'Work', '[]', case when n % 50000 = 0 then 1 end from generate_series(1, ?) n
				""").param(MANY).update();
		// A new version on another page: the place in the table is not the order.
		this.tables.jdbc().sql("update gator_job set queue = 'moved' where id = 50000").update();
		assertThat(pages(JobQuery.of(JobState.RUNNING).limit(2))).containsExactly(50_000L, 100_000L, 150_000L, 200_000L,
				250_000L);
		assertThat(this.admin.list(JobQuery.of(JobState.RUNNING).after(49_000).limit(5)))
			.as("one is among the first that are looked at, the others are far behind it")
			.hasSize(5);
		assertThat(pages(JobQuery.of(JobState.RUNNING).queue("moved"))).containsExactly(50_000L);
		assertThat(pages(JobQuery.of(JobState.FAILED))).isEmpty();
		assertThat(this.admin.list(JobQuery.of(JobState.WAITING).after(99_998)).stream().map(StoredJob::id))
			.hasSize(100)
			.startsWith(99_999L, 100_001L);
	}

	@Test
	void jobsAreListedByTheirNameAndByTheirQueue() {
		this.tables.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				values (1, 'a', 'One', '[]', 1, 1, now()), (2, 'a', 'Other', '[]', 1, 1, now()),
				       (3, 'b', 'One', '[]', 1, 1, now())
				""").update();
		JobQuery dead = JobQuery.of(JobState.DEAD);
		assertThat(pages(dead.name("One"))).containsExactly(1L, 3L);
		assertThat(pages(dead.queue("a"))).containsExactly(1L, 2L);
		assertThat(pages(dead.queue("a").name("One"))).containsExactly(1L);
	}

	@Test
	void theHistoryIsListedInTheOrderOfItsIds() {
		this.tables.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at,
				                               error_details)
				select ? + 1 - n, 'default', 'Work', case when n % 100000 = 0 then 'CANCELLED' else 'SUCCEEDED' end,
				       1, 1, now(), repeat('x', 200)
				  from generate_series(1, ?) n
				""").params(MANY, MANY).update();
		assertThat(this.tables.jdbc()
			.sql("select pg_relation_size('gator_job_history') / current_setting('block_size')::int")
			.query(Long.class)
			.single()).isGreaterThan(TablePages.RANGE);
		assertThat(this.admin.list(JobQuery.of(JobState.SUCCEEDED)).stream().map(StoredJob::id))
			.containsExactlyElementsOf(LongStream.rangeClosed(1, 100).boxed().toList());
		assertThat(pages(JobQuery.of(JobState.CANCELLED).limit(1))).containsExactly(50_001L, 150_001L);
	}

}
