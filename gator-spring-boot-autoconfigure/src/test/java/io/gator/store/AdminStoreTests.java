package io.gator.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.QueueInfo;
import io.gator.RecurringInfo;
import io.gator.WorkerInfo;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The contract of {@link AdminStore}: what people's requests leave behind in the rows.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class AdminStoreTests {

	private static final JobQuery DEAD = JobQuery.of(JobState.DEAD);

	/** What a job keeps, however it ends and wherever it goes. */
	private static final List<String> KEPT = List.of("id", "queue", "name", "created_at", "error_details", "unique_key",
			"metadata");

	private final DatabaseHandle database;

	private final StoreTables tables;

	private final AdminStore admin;

	AdminStoreTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		this.admin = this.tables.stores().admin();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
	}

	@Test
	void theCancellationOfARunningJobIsToldToItsPoolAndStaysWithTheJobShouldThatDie() {
		long pool = this.tables.pool();
		List<Long> jobs = List.of(this.tables.claimed(pool).id(), this.tables.claimed(pool).id());
		for (long job : jobs) {
			assertThat(this.admin.cancel(job)).isEqualTo(AdminStore.Cancellation.ASKED);
		}
		assertThat(this.tables.stores().workers().beat(pool, 10, 1, List.of(), List.of()).cancelled())
			.containsExactlyElementsOf(jobs);
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(this.tables.stores().workers().rescue(List.of(), true)).containsExactlyElementsOf(jobs);
		assertThat(this.tables.claim(this.tables.pool(), 2, StoreTables.share("default", 2))).hasSize(2)
			.allMatch(ClaimedJob::cancelRequested);
	}

	@Test
	void aJobThatIsClaimedWhileItIsCancelledIsLeftToItsPool() throws Exception {
		long pool = this.tables.pool();
		long job = this.tables.ready("default");
		assertThat(this.database.overtaken("update gator_job set reserved_by = " + pool, () -> this.admin.cancel(job)))
			.isEqualTo(AdminStore.Cancellation.ASKED);
		assertThat(this.tables.reservedBy(pool)).containsExactly(job);
	}

	@Test
	void aJobThatIsCancelledIsInTheHistoryWithAllThatItHad() {
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, attempts, lease, next_execution_at, created_at,
				                       last_executed_at, error_details, unique_key, metadata)
				values ('default', 'Work', '[1]', 3, 7, now(), '2026-01-02', '2026-01-03', 'failed', 'key', '{"m": 1}')
				""").update();
		Map<String, Object> job = this.tables.only("gator_job");
		assertThat(this.admin.cancel((Long) job.get("id"))).isEqualTo(AdminStore.Cancellation.DONE);
		assertThat(this.tables.table().count("gator_job")).isZero();
		assertInHistory(job);
	}

	@Test
	void aDeadJobThatIsDiscardedIsInTheHistoryWithAllThatItHad() {
		dead(1);
		Map<String, Object> job = this.tables.only("gator_dead_job");
		assertThat(this.admin.discard(1)).isTrue();
		assertThat(this.tables.table().count("gator_dead_job")).isZero();
		assertInHistory(job);
	}

	private void assertInHistory(Map<String, Object> job) {
		assertThat(this.tables.only("gator_job_history")).containsAllEntriesOf(part(KEPT, job))
			.containsEntry("state", "CANCELLED")
			.containsEntry("attempts", job.get("attempts"))
			.containsEntry("lease", job.get("lease"))
			.containsEntry("started_at", job.get("last_executed_at"));
		assertThat(this.tables.secondsBetween("test_now()", "finished_at", "gator_job_history")).isBetween(0.0, 60.0);
	}

	@Test
	void onlyAFailedJobThatNobodyRunsIsRetriedAtOnce() {
		long pool = this.tables.pool();
		long running = this.tables.due("default", -5);
		long waiting = this.tables.ready("default");
		this.tables.jdbc().sql("update gator_job set error_details = 'failed before'").update();
		assertThat(this.tables.claim(pool, 1, StoreTables.share("default", 1))).hasSize(1);
		long scheduled = this.tables.due("default", 3600);
		List<String> before = this.tables.everything();
		for (long id : List.of(running, scheduled, waiting)) {
			assertThat(this.admin.retry(id)).isEmpty();
		}
		assertThat(this.tables.everything()).isEqualTo(before);
		this.tables.jdbc().sql("update gator_job set error_details = 'failed' where id = ?").param(scheduled).update();
		assertThat(this.admin.retry(scheduled)).contains("default");
		assertThat(this.tables.secondsBetween("next_execution_at", "test_now()", "gator_job where id = " + scheduled))
			.isLessThanOrEqualTo(0);
	}

	@Test
	void onlyAJobThatNobodyHasClaimedIsRescheduledAndNothingButItsTimeChanges() {
		long pool = this.tables.pool();
		long claimed = this.tables.due("default", -5);
		assertThat(this.tables.claim(pool, 1, StoreTables.share("default", 1))).hasSize(1);
		List<String> before = this.tables.everything();
		Instant time = Instant.parse("2030-01-31T09:00:00Z");
		assertThat(this.admin.reschedule(claimed, time)).isEmpty();
		assertThat(this.admin.reschedule(987_654_321, time)).isEmpty();
		assertThat(this.tables.everything()).isEqualTo(before);
		this.tables.jdbc().sql("delete from gator_job").update();

		long failed = this.tables.due("default", 3600);
		this.tables.jdbc()
			.sql("update gator_job set attempts = 2, error_details = 'failed', unique_key = 'key'")
			.update();
		Map<String, Object> old = this.tables.only("gator_job");
		assertThat(this.admin.reschedule(failed, time)).contains("default");
		assertThat(this.admin.find(failed).orElseThrow().dueAt()).isEqualTo(time);
		Map<String, Object> changed = this.tables.only("gator_job");
		changed.put("next_execution_at", old.get("next_execution_at"));
		assertThat(changed).isEqualTo(old);
	}

	@Test
	void aJobThatIsRescheduledToTheTimeThatIsPastIsDueNowAndGoesBeforeThoseDispatchedForNow() {
		this.tables.ready("default");
		long waiting = this.tables.ready("default");
		long scheduled = this.tables.due("default", 3600);
		for (long id : List.of(scheduled, waiting)) {
			this.tables.advance(Duration.ofSeconds(1));
			assertThat(this.admin.reschedule(id, Instant.EPOCH)).contains("default");
			assertThat(this.tables.secondsBetween("next_execution_at", "test_now()", "gator_job where id = " + id))
				.isBetween(-0.9, 0.0);
		}
		assertThat(this.tables.claim(this.tables.pool(), 2, StoreTables.share("default", 2))).extracting(ClaimedJob::id)
			.containsExactlyInAnyOrder(scheduled, waiting);
	}

	@Test
	void aDeadJobComesBackWithAllThatItHadAndNoResultOfItsFormerLifeFitsIt() {
		dead(1);
		Map<String, Object> dead = this.tables.only("gator_dead_job");
		assertThat(this.admin.retry(1)).contains("default");
		assertThat(this.tables.table().count("gator_dead_job")).isZero();
		assertThat(this.tables.only("gator_job")).containsAllEntriesOf(part(KEPT, dead))
			.containsAllEntriesOf(part(List.of("args", "last_executed_at", "batch_key"), dead))
			.containsEntry("attempts", 0)
			.containsEntry("lease", 8L);
	}

	private static Map<String, Object> part(List<String> columns, Map<String, Object> row) {
		Map<String, Object> some = new LinkedHashMap<>(row);
		some.keySet().retainAll(columns);
		return some;
	}

	@ParameterizedTest
	@EnumSource
	void ofTheDeadJobsOnlyThoseOfTheQueueWithTheNameAndBehindTheIdAreTaken(Taking taking) {
		for (long id = 1; id <= 5; id++) {
			dead(id);
		}
		this.tables.jdbc().sql("update gator_dead_job set queue = 'another' where id = 3").update();
		this.tables.jdbc().sql("update gator_dead_job set name = 'Another' where id = 4").update();
		assertThat(taking.from(this.admin, DEAD.queue("default").name("Work").after(1))).containsExactly(2L, 5L);
		assertThat(taking.from(this.admin, DEAD)).containsExactly(1L, 3L, 4L);
	}

	@ParameterizedTest
	@EnumSource
	void deadJobsThatAnotherProcessIsJustTakingAreNotWaitedFor(Taking taking) throws Exception {
		dead(1);
		dead(2);
		try (Connection another = this.database.createDataSource().getConnection()) {
			another.setAutoCommit(false);
			another.createStatement().execute("delete from gator_dead_job where id = 1");
			assertThat(taking.from(this.admin, DEAD)).containsExactly(2L);
		}
	}

	private void dead(long id) {
		this.tables.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, last_executed_at,
				                            error_details, unique_key, batch_key, metadata)
				values (?, 'default', 'Work', '[1]', 3, 7, '2026-01-02', '2026-01-03',
				        'failed', 'key of ' || ?, 'its batch', '{"m": 1}')
				""").params(id, id).update();
	}

	@Test
	void aQueueThatIsPausedAgainIsPausedSinceTheFirstTime() {
		this.admin.pause("default");
		String since = "select paused_at from gator_queue where name = 'default'";
		Object first = this.tables.jdbc().sql(since).query().singleValue();
		this.tables.advance(Duration.ofMinutes(1));
		this.admin.pause("default");
		assertThat(this.tables.jdbc().sql(since).query().singleValue()).isEqualTo(first);
	}

	@Test
	void aLiveJobIsListedAndCountedInTheOneStateInWhichTheViewShowsIt() {
		this.tables.jdbc()
			.sql("""
					insert into gator_queue (name) values ('default');
					insert into gator_job (queue, name, args, reserved_by, next_execution_at, error_details)
					select 'default', 'Work', '[]', pool, test_now() + hours * interval '1 hour', error
					  from unnest(array[null, 1]) pool, unnest(array[null, -1, 1]) hours, unnest(array[null, 'failed']) error
					""")
			.update();
		Map<JobState, Long> listed = new EnumMap<>(JobState.class);
		for (JobState state : List.of(JobState.WAITING, JobState.SCHEDULED, JobState.RUNNING, JobState.FAILED)) {
			List<Long> ids = this.admin.list(JobQuery.of(state)).stream().map(StoredJob::id).toList();
			assertThat(ids).as("%s", state)
				.containsExactlyElementsOf(this.tables.jdbc()
					.sql("select id from gator_jobs where state = ? order by id")
					.param(state.name())
					.query(Long.class)
					.list());
			listed.put(state, (long) ids.size());
		}
		assertThat(listed.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(12);
		QueueInfo counted = this.admin.queues().get(0);
		assertThat(Map.of(JobState.WAITING, counted.waiting(), JobState.SCHEDULED, counted.scheduled(),
				JobState.RUNNING, counted.running(), JobState.FAILED, counted.failed()))
			.isEqualTo(listed);
	}

	@ParameterizedTest
	@EnumSource
	void aJobIsListedAsItIsFound(JobState state) {
		this.tables.jdbc()
			.sql("""
					insert into gator_job (queue, name, args, attempts, reserved_by, reserved_at, next_execution_at, created_at,
					                       last_executed_at, error_details, unique_key, batch_key, metadata)
					select 'default', 'Work', '[1]', 3, pool, test_now(), test_now() + hours * interval '1 hour', '2026-01-02',
					       '2026-01-03', error, 'key ' || n, 'its batch', '{"m": 1}'
					  from unnest(array[null, null, 1, null], array[null, 1, -1, -1], array[null, null, null, 'failed'])
					       with ordinality as j (pool, hours, error, n);
					insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
					                               error_details, unique_key, result, metadata)
					select n, 'default', 'Work', state, 3, 7, '2026-01-02', '2026-01-03', '2026-01-04', 'failed', 'key', '"ok"',
					       '{"m": 1}'
					  from unnest(array['SUCCEEDED', 'CANCELLED']) with ordinality as h (state, n)
					""")
			.update();
		dead(3);
		List<StoredJob> listed = this.admin.list(JobQuery.of(state));
		assertThat(listed).hasSize(1);
		assertThat(this.admin.find(listed.get(0).id())).contains(listed.get(0));
		assertThat(listed.get(0).worker()).isEqualTo((state == JobState.RUNNING) ? 1L : null);
	}

	@Test
	void aQueueIsAsOldAsTheJobThatHasBeenDueLongestAndThatNobodyRuns() {
		long pool = this.tables.pool();
		this.tables.jdbc().sql("""
				insert into gator_queue (name) values ('b'), ('a'), ('future'), ('past');
				insert into gator_job (queue, name, args, created_at, next_execution_at, reserved_by) values
				    ('b', 'Work', '[]', test_now() - interval '5 hours', null, %1$d),
				    ('b', 'Work', '[]', test_now() - interval '4 hours', test_now() - interval '3 hours', %1$d),
				    ('b', 'Work', '[]', test_now() - interval '2 hours', test_now() + interval '1 hour', null),
				    ('b', 'Work', '[]', test_now() - interval '2 hours', test_now() - interval '10 minutes', null),
				    ('b', 'Work', '[]', test_now() - interval '5 minutes', null, null),
				    ('a', 'Work', '[]', test_now() - interval '2 hours', test_now() + interval '1 hour', null),
				    ('future', 'Work', '[]', test_now() + interval '1 hour', null, null),
				    ('past', 'Work', '[]', test_now() - interval '3 minutes', test_now() - interval '1 month', null);
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select n, 'b', 'Work', '[]', 1, 1, now() from generate_series(1, 2) n
				""".formatted(pool)).update();
		List<QueueInfo> queues = this.admin.queues();
		assertThat(queues).extracting(QueueInfo::name, QueueInfo::waiting, QueueInfo::running, QueueInfo::dead)
			.containsExactly(tuple("a", 0L, 0L, 0L), tuple("b", 2L, 2L, 2L), tuple("future", 1L, 0L, 0L),
					tuple("past", 1L, 0L, 0L));
		List<Double> counted = this.tables.stores()
			.insight()
			.count(10)
			.stream()
			.map(QueueCount::oldestSeconds)
			.toList();
		List<Double> listed = queues.stream()
			.map((queue) -> queue.oldestAge().map((age) -> age.toMillis() / 1000.0).orElse(null))
			.toList();
		for (List<Double> ages : List.of(counted, listed)) {
			assertThat(ages.get(0)).isNull();
			assertThat(ages.get(1)).isBetween(600.0, 660.0);
			assertThat(ages.get(2)).as("the clock was put back").isZero();
			assertThat(ages.get(3)).isBetween(180.0, 240.0);
		}
	}

	@Test
	void aRecurringJobThatNobodyHasTickedForMinutesHasNoNextTick() {
		this.tables.jdbc().sql("""
				insert into gator_recurring (name, schedule, next_tick) values
				    ('Late', '@daily', test_now() - interval '4 minutes'),
				    ('Forgotten', '@daily', test_now() - interval '6 minutes')
				""").update();
		assertThat(this.admin.recurring()).extracting(RecurringInfo::name, (job) -> job.nextTick().isPresent())
			.containsExactly(tuple("Forgotten", false), tuple("Late", true));
	}

	@Test
	void poolsAreInTheOrderInWhichTheyCame() {
		List<Long> pools = List.of(this.tables.pool(), this.tables.pool());
		// A new version of its row: the place in the table is not the order.
		this.tables.beatAt(pools.get(0), "beat_at");
		assertThat(this.admin.workers()).extracting(WorkerInfo::id).containsExactlyElementsOf(pools);
	}

	@Test
	void aPoolWhoseLeaseIsOverIsNotAmongThoseThatLive() {
		this.tables.pool();
		assertThat(this.admin.workers()).hasSize(1);
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(this.admin.workers()).isEmpty();
	}

	/** What may be done to many dead jobs at once. */
	private enum Taking {

		RETRY {
			@Override
			Stream<Long> take(AdminStore admin, JobQuery query) {
				return admin.retrySome(query).stream().map(AdminStore.Retried::id);
			}
		},

		DISCARD {
			@Override
			Stream<Long> take(AdminStore admin, JobQuery query) {
				return admin.discardSome(query).stream().map(AdminStore.Discarded::id);
			}
		};

		abstract Stream<Long> take(AdminStore admin, JobQuery query);

		List<Long> from(AdminStore admin, JobQuery query) {
			return take(admin, query).sorted().toList();
		}

	}

}
