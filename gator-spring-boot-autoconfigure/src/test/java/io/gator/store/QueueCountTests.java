package io.gator.store;

import java.util.List;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many jobs each queue has, and from which number on that is an estimate.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class QueueCountTests {

	private final StoreTables tables;

	private final JdbcClient jdbc;

	private final InsightStore insight;

	QueueCountTests(DatabaseHandle database) {
		this.tables = new StoreTables(database);
		this.jdbc = this.tables.jdbc();
		this.insight = this.tables.stores().insight();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
	}

	private QueueCount count(String queue) {
		return this.insight.count(5_000)
			.stream()
			.filter((count) -> count.queue().equals(queue))
			.findFirst()
			.orElseThrow();
	}

	private void analyze() {
		this.jdbc.sql("analyze gator_job, gator_dead_job").update();
	}

	@Test
	void statesAreThoseOfTheView() {
		this.jdbc.sql("insert into gator_queue (name, paused_at) values ('a', null), ('b', test_now()), ('c', null)")
			.update();
		this.jdbc
			.sql("""
					insert into gator_job (queue, name, args, next_execution_at, reserved_by, error_details, created_at)
					values ('a', 'J', '[]', null, null, null, test_now() - interval '7 seconds'),
					       ('a', 'J', '[]', null, 1, null, test_now() - interval '9 seconds'),
					       ('a', 'J', '[]', test_now() + interval '1 hour', null, null, test_now()),
					       ('a', 'J', '[]', test_now() + interval '1 hour', null, 'wrong', test_now()),
					       ('a', 'J', '[]', test_now() - interval '1 minute', null, 'wrong', test_now() - interval '1 hour'),
					       ('b', 'J', '[]', test_now() - interval '1 month', null, null, test_now() - interval '1 minute'),
					       ('b', 'J', '[]', test_now() - interval '1 minute', 1, null, test_now())
					""")
			.update();
		this.jdbc.sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select 1000 + i, 'a', 'J', '[]', 1, 1, test_now() from generate_series(1, 3) i
				""").update();
		List<QueueCount> counts = this.insight.count(100);
		assertThat(counts).extracting(QueueCount::queue).containsExactly("a", "b", "c");
		QueueCount a = counts.get(0);
		assertThat(List.of(a.waiting(), a.scheduled(), a.running(), a.failed(), a.dead())).containsExactly(1L, 1L, 1L,
				2L, 3L);
		assertThat(a.oldestSeconds()).isBetween(60.0, 70.0);
		assertThat(a.estimated()).isFalse();
		QueueCount b = counts.get(1);
		assertThat(b.paused()).isTrue();
		assertThat(List.of(b.waiting(), b.running(), b.dead())).containsExactly(1L, 1L, 0L);
		assertThat(counts.get(2)).isEqualTo(QueueCount.none("c"));
		for (String state : List.of("WAITING", "SCHEDULED", "RUNNING", "FAILED", "DEAD")) {
			long view = this.jdbc.sql("select count(*) from gator_jobs where state = ?")
				.param(state)
				.query(Long.class)
				.single();
			long counted = counts.stream().mapToLong((each) -> switch (state) {
				case "WAITING" -> each.waiting();
				case "SCHEDULED" -> each.scheduled();
				case "RUNNING" -> each.running();
				case "FAILED" -> each.failed();
				default -> each.dead();
			}).sum();
			assertThat(counted).as(state).isEqualTo(view);
		}
	}

	@Test
	void theFirstQueuesByNameAreCounted() {
		this.jdbc.sql("insert into gator_queue (name) values ('c'), ('a'), ('b')").update();
		assertThat(this.insight.count(2)).extracting(QueueCount::queue).containsExactly("a", "b");
	}

	@Test
	void ofAThousandQueuesTheFirstTwoHundredJobsOfEachAreCounted() {
		this.jdbc.sql("""
				insert into gator_queue (name) select 'queue' || n from generate_series(1, 2000) n;
				insert into gator_job (queue, name, args, created_at, next_execution_at)
				select 'queue' || queue, 'Work', '[]', '2026-01-01', test_now() - n * interval '1 second'
				  from (values (1, 199), (2, 300)) as q (queue, jobs), generate_series(1, jobs) n
				""").update();
		assertThat(count("queue1")).returns(199L, QueueCount::waiting).returns(false, QueueCount::estimated);
		QueueCount longer = count("queue2");
		assertThat(longer.estimated()).isTrue();
		assertThat(longer.oldestSeconds()).as("those that are due longest are the first").isBetween(300.0, 360.0);
	}

	/** The job has the name of its queue, which is then frequent in two columns. */
	@Test
	void anEstimateGrowsWithTheTableThoughNobodyHasAnalyzedItSince() {
		this.jdbc.sql("insert into gator_queue (name) values ('big')").update();
		big(20_000);
		assertThat(count("big").waiting()).as("at least what was counted").isGreaterThanOrEqualTo(10_000);
		analyze();
		big(20_000);
		assertThat(count("big").waiting()).isBetween(38_000L, 42_000L);
	}

	private void big(int jobs) {
		this.jdbc.sql("""
				insert into gator_job (queue, name, args) select 'big', 'big', '[]' from generate_series(1, ?)
				""").param(jobs).update();
	}

	@Test
	void jobsOfAQueueThatAreCountedAreNotEstimatedAgain() {
		this.jdbc.sql("insert into gator_queue (name) values ('big')").update();
		big(20_000);
		this.jdbc.sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				select 'big', 'Work', '[]', test_now() + interval '1 day' from generate_series(1, 5000)
				""").update();
		analyze();
		QueueCount big = count("big");
		assertThat(big.scheduled()).isEqualTo(5_000);
		assertThat(big.waiting()).isBetween(19_000L, 21_000L);
	}

	@Test
	void amongJobsThatAreEstimatedAsManyHaveFailedAsAmongThoseThatAreCounted() {
		this.jdbc.sql("""
				insert into gator_queue (name) values ('big');
				insert into gator_job (queue, name, args, next_execution_at, error_details)
				select 'big', 'Work', '[]', test_now() + n * interval '1 minute', case when n % 4 = 0 then 'failed' end
				  from generate_series(1, 20000) n
				""").update();
		analyze();
		QueueCount big = count("big");
		assertThat(big.failed()).isBetween(4_750L, 5_250L);
		assertThat(big.scheduled()).isBetween(14_250L, 15_750L);
	}

	@Test
	void theLastDeadJobsAreCountedAndTheOthersEstimated() {
		this.jdbc.sql("""
				insert into gator_queue (name) values ('old'), ('new');
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select n, case when n <= 15000 then 'old' else 'new' end, 'Work', '[]', 1, 1, test_now()
				  from generate_series(1, 30000) n
				""").update();
		assertThat(count("new").dead()).isEqualTo(15_000);
		analyze();
		QueueCount old = count("old");
		assertThat(old.dead()).isBetween(14_000L, 16_000L);
		assertThat(old.estimated()).isTrue();
	}

	@Test
	void beyondTheLimitCountsAreEstimatesAndMarked() {
		this.jdbc.sql("insert into gator_queue (name) values ('big'), ('small')").update();
		this.jdbc.sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				select 'big', 'J', '[1]', case when i % 10 = 0 then test_now() + interval '1 day' end
				  from generate_series(1, 200000) i
				""").update();
		this.jdbc.sql("insert into gator_job (queue, name, args) values ('small', 'J', '[1]')").update();
		this.jdbc.sql("analyze gator_job").update();
		List<QueueCount> counts = this.insight.count(100);
		QueueCount big = counts.get(0);
		assertThat(big.estimated()).isTrue();
		assertThat(big.waiting()).isBetween(160_000L, 200_000L);
		assertThat(big.scheduled()).isBetween(15_000L, 25_000L);
		assertThat(counts.get(1).waiting()).isEqualTo(1);
		assertThat(counts.get(1).estimated()).isFalse();
	}

	@Test
	void aQueueOfDelayedJobsIsNotEstimatedByTheDelaysOfTheOthers() {
		this.jdbc.sql("insert into gator_queue (name) values ('later'), ('now')").update();
		this.jdbc.sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				select case when n % 4 = 0 then 'later' else 'now' end, 'J', '[1]',
				       case when n % 4 = 0 then test_now() + interval '1 day' end
				  from generate_series(1, 200000) n
				""").update();
		this.jdbc.sql("analyze gator_job").update();
		List<QueueCount> counts = this.insight.count(1_000);
		assertThat(counts.get(0).scheduled()).isBetween(45_000L, 55_000L);
		assertThat(counts.get(0).waiting()).isZero();
		assertThat(counts.get(1).waiting()).isBetween(140_000L, 160_000L);
		assertThat(counts.get(1).scheduled()).isZero();
		assertThat(counts).allMatch(QueueCount::estimated);
	}

	@Test
	void anEstimateIsThatOfTheTableInThisSchema() {
		this.jdbc.sql("""
				create schema other;
				create table other.gator_job (queue text);
				insert into other.gator_job select 'big' from generate_series(1, 100000);
				analyze other.gator_job;
				insert into gator_queue (name) values ('big')
				""").update();
		big(20_000);
		analyze();
		assertThat(count("big").waiting()).isBetween(19_000L, 21_000L);
	}

}
