package io.gator.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobContext;
import io.gator.JobInfo;
import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.QueueInfo;
import io.gator.RetryWith;
import io.gator.routing.ArgsCodec;
import io.gator.store.GatorStores;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Two applications on one database: what one of them asks for happens in the other, which
 * is the only one that runs jobs.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobAdminTests {

	/** Queues that are paused as long as no test resumes them. */
	private static final List<String> PAUSED = List.of("paused", "cancelled", "again");

	private final DatabaseHandle database;

	private TestApplication worker;

	private TestApplication console;

	private JobAdmin admin;

	private JobTemplate jobs;

	JobAdminTests(DatabaseHandle database) {
		this.database = database;
	}

	@BeforeAll
	void start() {
		this.console = TestApplication.start(this.database, List.of(Echo.class, Fail.class, Wait.class),
				"gator.worker.enabled=false");
		this.admin = this.console.bean(JobAdmin.class);
		this.jobs = this.console.bean(JobTemplate.class);
		// Before there is a pool, as one hears of it a moment later.
		PAUSED.forEach(this.admin::pause);
		this.worker = TestApplication.start(this.database, List.of(Echo.class, Fail.class, Wait.class));
	}

	@AfterAll
	void stop() {
		this.console.close();
		this.worker.close();
	}

	@BeforeEach
	void empty() {
		for (String table : List.of("gator_job", "gator_dead_job", "gator_job_history")) {
			this.database.jdbc().sql("delete from " + table).update();
		}
	}

	@Test
	void aJobIsFoundInEachOfItsStates() {
		long waiting = this.jobs.to(Echo.class).queue("paused").dispatch("x");
		long scheduled = this.jobs.to(Echo.class).delay(Duration.ofHours(1)).dispatch("x");
		assertThat(state(scheduled)).isEqualTo(JobState.SCHEDULED);
		assertThat(this.admin.find(scheduled).orElseThrow().dueAt()).isPresent();
		long done = this.jobs.dispatch(Echo.class, "done");
		await().until(() -> state(done) == JobState.SUCCEEDED);
		JobInfo info = this.admin.find(done).orElseThrow();
		assertThat(info.result(String.class)).contains("DONE");
		assertThat(info.finishedAt()).isPresent();
		assertThat(info.args()).isEmpty();
		assertThat(info.attempts()).isOne();
		long dead = this.jobs.dispatch(Fail.class, "x");
		await().until(() -> state(dead) == JobState.DEAD);
		assertThat(this.admin.find(dead).orElseThrow().error()).get().asString().contains("it failed");
		assertThat(state(waiting)).isEqualTo(JobState.WAITING);
		assertThat(this.admin.find(987_654_321)).isEmpty();
	}

	@Test
	void aWaitingJobIsCancelledAtOnceAndARunningOneSoon() throws Exception {
		long scheduled = this.jobs.to(Echo.class).delay(Duration.ofHours(1)).dispatch("x");
		assertThat(this.admin.cancel(scheduled)).isTrue();
		assertThat(state(scheduled)).isEqualTo(JobState.CANCELLED);
		assertThat(this.admin.cancel(scheduled)).as("a second time").isFalse();

		Wait handler = this.worker.bean(Wait.class);
		long running = this.jobs.dispatch(Wait.class);
		assertThat(handler.started.poll(10, TimeUnit.SECONDS)).isEqualTo(running);
		assertThat(this.admin.cancel(running)).isTrue();
		assertThat(handler.interrupted.poll(10, TimeUnit.SECONDS)).as("sees isCancelled() and is interrupted")
			.isEqualTo(true);
		await().until(() -> state(running) == JobState.CANCELLED);
	}

	@Test
	void aCancelledRunningJobThatLosesItsPoolIsNotRunAgain() {
		long id = this.jobs.to(Echo.class).queue("cancelled").dispatch("x");
		this.database.jdbc().sql("update gator_job set cancel_requested = true where id = ?").param(id).update();
		this.admin.resume("cancelled");
		await().until(() -> state(id) == JobState.CANCELLED);
		assertThat(this.worker.bean(Echo.class).seen).doesNotContain(id);
	}

	@Test
	void aDeadJobIsRetriedWithAllItsAttemptsOrDiscarded() {
		long id = this.jobs.dispatch(Fail.class, "x");
		await().until(() -> state(id) == JobState.DEAD);
		assertThat(this.admin.retry(id)).isTrue();
		await().until(() -> state(id) == JobState.DEAD);
		assertThat(this.admin.find(id).orElseThrow().attempts()).isEqualTo(2);
		assertThat(this.worker.bean(Fail.class).attempts).containsSubsequence(1, 2, 1, 2);
		assertThat(this.admin.discard(id)).isTrue();
		assertThat(state(id)).isEqualTo(JobState.CANCELLED);
		assertThat(this.admin.discard(id)).isFalse();
		assertThat(this.admin.retry(id)).isFalse();
	}

	@Test
	void aDeadJobThatIsRetriedIsFailedUntilItIsClaimed() {
		long id = this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, error_details)
				values (1, 'again', 'Fail', '["x"]', 2, 2, now(), 'it failed')
				returning id
				""").query(Long.class).single();
		assertThat(this.admin.retry(id)).isTrue();
		assertThat(state(id)).isEqualTo(JobState.FAILED);
		this.admin.resume("again");
		await().until(() -> state(id) == JobState.DEAD);
	}

	@Test
	void aJobThatWaitsForItsRetryIsRetriedNow() {
		long id = this.jobs.dispatch(Fail.class, "x");
		await().until(() -> state(id) == JobState.DEAD);
		this.database.jdbc().sql("""
				with dead as (delete from gator_dead_job where id = ? returning *)
				insert into gator_job (id, queue, name, args, attempts, lease, next_execution_at, error_details)
				select id, queue, name, args, 1, lease + 1, now() + interval '1 hour', error_details from dead
				""").param(id).update();
		assertThat(state(id)).isEqualTo(JobState.FAILED);
		assertThat(this.admin.retry(id)).isTrue();
		await().until(() -> state(id) == JobState.DEAD);
	}

	@Test
	void aJobForLaterIsRunNowAndOneForNowIsPutOff() throws Exception {
		long id = this.jobs.to(Echo.class).queue("paused").dispatch("x");
		assertThat(this.admin.reschedule(id, Instant.now().plus(Duration.ofDays(2)))).isTrue();
		assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
		long later = this.jobs.to(Echo.class).delay(Duration.ofDays(2)).dispatch("x");
		assertThat(this.admin.reschedule(later, Instant.now())).isTrue();
		await().until(() -> state(later) == JobState.SUCCEEDED);
		assertThat(this.admin.reschedule(later, Instant.now())).as("a job that is over").isFalse();

		Wait handler = this.worker.bean(Wait.class);
		long running = this.jobs.dispatch(Wait.class);
		assertThat(handler.started.poll(10, TimeUnit.SECONDS)).isEqualTo(running);
		assertThat(this.admin.reschedule(running, Instant.now())).as("a running job").isFalse();
		this.admin.cancel(running);
		await().until(() -> state(running) == JobState.CANCELLED);
	}

	@Test
	void deadJobsAreRetriedAndDiscardedByFilterAndListedInPages() {
		List<Long> ids = this.jobs.dispatchMany(Fail.class, List.of("a", "b", "c", "d", "e"));
		await().until(() -> this.admin.list(JobQuery.of(JobState.DEAD)).size() == 5);
		List<Long> listed = new ArrayList<>();
		for (List<JobInfo> page = this.admin.list(JobQuery.of(JobState.DEAD).limit(2)); !page
			.isEmpty(); page = this.admin
				.list(JobQuery.of(JobState.DEAD).limit(2).after(page.get(page.size() - 1).id()))) {
			assertThat(page).hasSizeLessThanOrEqualTo(2);
			page.forEach((job) -> listed.add(job.id()));
		}
		assertThat(listed).containsExactlyElementsOf(ids);
		assertThat(this.admin.list(JobQuery.of(JobState.DEAD).queue("another"))).isEmpty();
		assertThat(this.admin.retryAll(JobQuery.of(JobState.DEAD).name("Echo"))).isZero();
		assertThat(this.admin.discardAll(JobQuery.of(JobState.DEAD).name("Fail").limit(1).after(Long.MAX_VALUE)))
			.isEqualTo(5);
		assertThat(this.admin.list(JobQuery.of(JobState.DEAD))).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.retryAll(JobQuery.of(JobState.RUNNING)))
			.withMessageContaining("RUNNING");
	}

	@Test
	void deadJobsThatHadOneKeyOneAfterTheOtherAreRetriedTogether() {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, died_at, unique_key)
				select n, 'paused', 'Echo', '["x"]', 1, 1, now(), now(), case when n < 3 then 'Echo:key' end
				  from generate_series(1, 4) n
				""").update();
		assertThat(this.admin.retryAll(JobQuery.of(JobState.DEAD).queue("paused"))).isEqualTo(4);
		assertThat(this.database.jdbc()
			.sql("select id from gator_job where unique_key is not null")
			.query(Long.class)
			.list()).containsExactly(1L);
	}

	@Test
	void whatDiesAgainWhileAllAreRetriedIsNotRetriedASecondTime() {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, died_at)
				select n, 'default', 'Fail', '["x"]', 1, 1, now(), now() from generate_series(1, 2500) n
				""").update();
		assertThat(this.admin.retryAll(JobQuery.of(JobState.DEAD))).isEqualTo(2_500);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.database.jdbc()
				.sql("select count(*) from gator_dead_job where lease > 1")
				.query(Integer.class)
				.single() == 2_500);
	}

	@Test
	@Timeout(60)
	void allDeadJobsAreRetriedThoughJobsGoOnDying() {
		assertThat(whileJobsDie(() -> this.admin.retryAll(JobQuery.of(JobState.DEAD).queue("paused"))))
			.isEqualTo(2_502);
	}

	@Test
	@Timeout(60)
	void allDeadJobsAreDiscardedThoughJobsGoOnDying() {
		assertThat(whileJobsDie(() -> this.admin.discardAll(JobQuery.of(JobState.DEAD).queue("paused"))))
			.isEqualTo(2_502);
	}

	/** With each chunk that is taken from the dead, one more dies. */
	private long whileJobsDie(LongSupplier all) {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select n, 'paused', 'Echo', '["x"]', 1, 1, now() from generate_series(1, 2500) n
				""").update();
		this.database.jdbc().sql("""
				create function die() returns trigger language plpgsql as $$ begin
				    insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				    select coalesce(max(id), 10000) + 1, 'paused', 'Echo', '["x"]', 1, 1, now() from gator_dead_job;
				    return null;
				end $$
				""").update();
		this.database.jdbc()
			.sql("create trigger die after delete on gator_dead_job for each statement execute function die()")
			.update();
		try {
			return all.getAsLong();
		}
		finally {
			this.database.jdbc().sql("drop trigger die on gator_dead_job").update();
			this.database.jdbc().sql("drop function die").update();
		}
	}

	@Test
	void thePoolsHearOfEachChunkThatIsRetried() {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select n, 'paused', 'Echo', '["x"]', 1, 1, now() from generate_series(1, 2500) n
				""").update();
		List<Integer> dead = new ArrayList<>();
		new StoreJobAdmin(this.console.bean(GatorStores.class).admin(), this.console.bean(ArgsCodec.class),
				(queues) -> dead
					.add(this.database.jdbc().sql("select count(*) from gator_dead_job").query(Integer.class).single()),
				() -> {
				})
			.retryAll(JobQuery.of(JobState.DEAD));
		assertThat(dead).containsExactly(1_500, 500, 0);
	}

	@Test
	void aJobThatIsRetriedIsNotCancelledForAnEarlierWish() {
		long id = this.database.jdbc().sql("""
				insert into gator_job (queue, name, args, attempts, next_execution_at, error_details, cancel_requested)
				values ('default', 'Echo', '["x"]', 0, now() + interval '1 hour', 'failed', true)
				returning id
				""").query(Long.class).single();
		assertThat(this.admin.retry(id)).isTrue();
		await().until(() -> state(id) == JobState.SUCCEEDED);
	}

	@Test
	void aJobForATimeInThePastWaitsSinceItsDispatch() {
		this.jobs.to(Echo.class).queue("paused").at(Instant.now().minus(Duration.ofDays(30))).dispatch("x");
		assertThat(this.admin.queues()).filteredOn((queue) -> queue.name().equals("paused"))
			.singleElement()
			.satisfies((queue) -> assertThat(queue.oldestAge().orElseThrow()).isLessThan(Duration.ofHours(1)));
	}

	@Test
	void aPausedQueueIsLeftAloneInTheWholeClusterUntilItIsResumed() throws Exception {
		Echo echo = this.worker.bean(Echo.class);
		echo.said.clear();
		this.jobs.to(Echo.class).queue("pausable").dispatch("first");
		assertThat(echo.said.poll(10, TimeUnit.SECONDS)).isEqualTo("first");
		await().until(() -> isServed("pausable"));
		this.admin.pause("pausable");
		assertThat(this.admin.queues()).filteredOn((queue) -> queue.name().equals("pausable"))
			.singleElement()
			.matches(QueueInfo::paused);
		await().until(() -> !isServed("pausable"));
		long id = this.jobs.to(Echo.class).queue("pausable").dispatch("second");
		this.jobs.dispatch(Echo.class, "behind it");
		assertThat(echo.said.poll(10, TimeUnit.SECONDS)).isEqualTo("behind it");
		assertThat(state(id)).isEqualTo(JobState.WAITING);
		this.admin.resume("pausable");
		assertThat(echo.said.poll(30, TimeUnit.SECONDS)).isEqualTo("second");
	}

	@Test
	void queuesAndPoolsAreCounted() {
		this.jobs.to(Echo.class).queue("paused").dispatchMany(List.of("a", "b", "c"));
		this.jobs.to(Echo.class).queue("paused").delay(Duration.ofHours(1)).dispatch("d");
		QueueInfo counted = this.admin.queues()
			.stream()
			.filter((queue) -> queue.name().equals("paused"))
			.findFirst()
			.orElseThrow();
		assertThat(counted.waiting()).isEqualTo(3);
		assertThat(counted.scheduled()).isOne();
		assertThat(counted.paused()).isTrue();
		assertThat(counted.oldestAge()).isPresent();
		assertThat(this.admin.workers()).singleElement().satisfies((pool) -> {
			assertThat(pool.slots()).isEqualTo(10);
			assertThat(pool.pid()).isEqualTo(ProcessHandle.current().pid());
		});
	}

	@Test
	void aHostileNameIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.pause("'; drop table gator_job; --"));
		JobQuery query = JobQuery.of(JobState.WAITING);
		assertThatIllegalArgumentException().isThrownBy(() -> query.queue("\u0000")).withMessageContaining("queue");
		assertThatIllegalArgumentException().isThrownBy(() -> query.name("a\u0000")).withMessageContaining("name");
	}

	private JobState state(long id) {
		return this.admin.find(id).map(JobInfo::state).orElse(null);
	}

	private boolean isServed(String queue) {
		return this.admin.workers().stream().anyMatch((pool) -> pool.queues().contains(queue));
	}

	@Job
	static class Echo {

		final BlockingQueue<String> said = new LinkedBlockingQueue<>();

		final BlockingQueue<Long> seen = new LinkedBlockingQueue<>();

		String handle(String text, JobContext context) {
			this.seen.add(context.id());
			this.said.add(text);
			return text.toUpperCase(java.util.Locale.ROOT);
		}

	}

	@Job
	@RetryWith(interval = "PT0S", maxRetries = 1)
	static class Fail {

		final BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();

		void handle(String text, JobContext context) {
			this.attempts.add(context.attempt());
			throw new IllegalStateException("it failed");
		}

	}

	@Job
	static class Wait {

		final BlockingQueue<Long> started = new LinkedBlockingQueue<>();

		final BlockingQueue<Boolean> interrupted = new LinkedBlockingQueue<>();

		void handle(JobContext context) throws InterruptedException {
			this.started.add(context.id());
			try {
				new java.util.concurrent.CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				this.interrupted.add(context.isCancelled());
				throw ex;
			}
		}

	}

}
