package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobBatch;
import io.gator.JobContext;
import io.gator.JobListener;
import io.gator.JobSnoozedException;
import io.gator.JobTemplate;
import io.gator.OnDead;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@FreshDatabase
class BufferedJobTests {

	private final DatabaseHandle database;

	BufferedJobTests(DatabaseHandle database) {
		this.database = database;
	}

	@AfterEach
	void empty() {
		for (String table : List.of("gator_job", "gator_dead_job", "gator_job_history")) {
			this.database.jdbc().sql("delete from " + table).update();
		}
	}

	@Test
	void aFullBatchIsHandledAtOnceAndTheRestWhenItsOldestItemHasWaited() {
		try (TestApplication application = startWithSlowPolls(Collect.class)) {
			application.bean(JobTemplate.class).dispatchMany(Collect.class, items(0, 25));
			Collect collect = application.bean(Collect.class);
			await().until(() -> collect.batches.size() == 3);
			assertThat(collect.batches.stream().map(List::size)).containsExactlyInAnyOrder(10, 10, 5);
			assertThat(collect.batches.stream().flatMap(List::stream).map(Activity::id)).doesNotHaveDuplicates()
				.hasSize(25);
			await().until(() -> count("gator_job_history") == 25);
			assertThat(count("gator_job")).isZero();
		}
	}

	@Test
	void itemsOfOneBatchHaveOneKey() {
		try (TestApplication application = start(ByTenant.class)) {
			application.bean(JobTemplate.class)
				.dispatchMany(ByTenant.class,
						IntStream.range(0, 40).mapToObj((i) -> new Activity(i, "tenant" + i % 3)).toList());
			ByTenant handler = application.bean(ByTenant.class);
			await().until(() -> handler.batches.stream().mapToInt(List::size).sum() == 40);
			assertThat(handler.batches)
				.allSatisfy((batch) -> assertThat(batch.stream().map(Activity::tenant).distinct()).hasSize(1));
		}
	}

	@Test
	void itemsThatWereDispatchedWithoutTheHandlerShareNoBatchWithAnotherKey() {
		List<Activity> items = IntStream.range(0, 40).mapToObj((i) -> new Activity(i, "tenant" + i % 3)).toList();
		try (TestApplication producer = TestApplication.start(this.database, List.of(), "gator.worker.enabled=false")) {
			producer.bean(JobTemplate.class).to("ByTenant").dispatchMany(items);
		}
		try (TestApplication application = start(ByTenant.class)) {
			application.bean(JobTemplate.class).dispatchMany(ByTenant.class, items);
			ByTenant handler = application.bean(ByTenant.class);
			await().until(() -> count("gator_job_history where attempts = 1") == 80);
			assertThat(handler.batches)
				.allSatisfy((batch) -> assertThat(batch.stream().map(Activity::tenant).distinct()).hasSize(1));
			assertThat(handler.batches.stream().mapToInt(List::size).sum()).isEqualTo(80);
		}
	}

	@Test
	void itemsThatWereDispatchedByAVersionWithAnotherKeyShareNoBatchWithAnotherKey() {
		try (TestApplication producer = TestApplication.start(this.database, List.of(), "gator.worker.enabled=false")) {
			producer.bean(JobTemplate.class)
				.to("ByTenant")
				.dispatchMany(IntStream.range(0, 40).mapToObj((i) -> new Activity(i, "tenant" + i % 3)).toList());
		}
		this.database.jdbc().sql("update gator_job set batch_key = 'region' || id % 2").update();
		try (TestApplication application = start(ByTenant.class)) {
			ByTenant handler = application.bean(ByTenant.class);
			await().until(() -> count("gator_job_history where attempts = 1") == 40);
			assertThat(handler.batches)
				.allSatisfy((batch) -> assertThat(batch.stream().map(Activity::tenant).distinct()).hasSize(1));
		}
	}

	@Test
	void onlyTheFailedItemsOfABatchAreTriedAgainAndEachHasItsOwnDeadLetter() {
		try (TestApplication application = start(RefuseOdd.class)) {
			application.bean(JobTemplate.class).dispatchMany(RefuseOdd.class, items(0, 10));
			await().until(() -> count("gator_dead_job") == 5);
			RefuseOdd handler = application.bean(RefuseOdd.class);
			assertThat(handler.sizes).containsExactly("10 in attempt 1", "5 in attempt 2");
			assertThat(count("gator_job_history")).isEqualTo(5);
			List<Map<String, Object>> dead = this.database.jdbc()
				.sql("select attempts, error_details from gator_dead_job")
				.query()
				.listOfRows();
			assertThat(dead).allSatisfy((row) -> {
				assertThat(row.get("attempts")).isEqualTo(2);
				assertThat(row.get("error_details").toString()).contains("odd is refused");
			});
			assertThat(handler.compensated).containsExactly(5);
		}
	}

	@Test
	void aPoisonedItemDoesNotTakeItsNeighboursWithIt() {
		try (TestApplication application = start(Poisoned.class)) {
			application.bean(JobTemplate.class).dispatchMany(Poisoned.class, items(0, 32));
			await().until(() -> count("gator_dead_job") == 1 && count("gator_job") == 0);
			assertThat(count("gator_job_history")).isEqualTo(31);
			assertThat(this.database.jdbc().sql("select args::text from gator_dead_job").query(String.class).single())
				.contains("\"id\":13");
			assertThat(application.bean(Poisoned.class).starts.stream().filter((id) -> id == 13).count())
				.as("starts of the poisoned item, maxRetries + 1")
				.isEqualTo(4);
		}
	}

	@Test
	void noMoreBatchesRunAtOnceThanTheJobAllows() throws Exception {
		try (TestApplication application = start(Slow.class, Collect.class)) {
			Slow slow = application.bean(Slow.class);
			JobTemplate jobs = application.bean(JobTemplate.class);
			jobs.dispatchMany(Slow.class, items(0, 8));
			assertThat(slow.started.poll(10, TimeUnit.SECONDS)).isEqualTo(2);
			assertThat(slow.started.poll(10, TimeUnit.SECONDS)).isEqualTo(2);
			// Whoever claims this batch would claim a third one too.
			jobs.dispatchMany(Collect.class, items(0, 10));
			await().until(() -> count("gator_job_history where name = 'Collect'") == 10);
			assertThat(slow.started).as("a third batch at once").isEmpty();
			slow.go.countDown();
			await().until(() -> count("gator_job_history") == 18);
		}
	}

	@Test
	void aBatchThatEndsMakesRoomForTheNextOneAtOnce() throws Exception {
		try (TestApplication application = startWithSlowPolls(OneByOne.class)) {
			OneByOne handler = application.bean(OneByOne.class);
			application.bean(JobTemplate.class).dispatchMany(OneByOne.class, items(0, 8));
			for (int i = 0; i < 4; i++) {
				assertThat(handler.started.poll(10, TimeUnit.SECONDS)).as("batch %d", i).isEqualTo(2);
				handler.go.release();
			}
			await().until(() -> count("gator_job_history") == 8);
		}
	}

	@Test
	void aBatchThatIsFilledOneByOneIsSeenAsSoonAsItIsFull() {
		try (TestApplication application = startWithSlowPolls(Patient.class)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			items(0, 10).forEach((item) -> jobs.dispatch(Patient.class, item));
			await().until(() -> count("gator_job_history") == 10);
			assertThat(application.bean(Patient.class).sizes).containsExactly(10);
		}
	}

	@Test
	void aJobIsHandledWhereThereAreMoreBufferedJobsThanSlots() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Collect.class, ByTenant.class, RefuseOdd.class, Poisoned.class), "gator.worker.concurrency=1",
				"gator.worker.poll-interval=50ms")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			for (Class<?> job : List.of(Collect.class, ByTenant.class, RefuseOdd.class, Poisoned.class)) {
				jobs.dispatch(job, new Activity(0, "one"));
			}
			await().until(() -> count("gator_job_history") == 4);
		}
	}

	@Test
	void anItemWithUnreadableArgumentsIsDeadAndTheOthersAreHandled() {
		try (TestApplication application = start(Collect.class)) {
			this.database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Collect', '[\"no activity\"]')")
				.update();
			application.bean(JobTemplate.class).dispatchMany(Collect.class, items(0, 9));
			await().until(() -> count("gator_job_history") == 9 && count("gator_dead_job") == 1);
		}
	}

	@Test
	void anItemThatWasCancelledIsNotHandledAndTheFirstOtherIsTheOneOfTheContextAndTheLog() {
		try (TestApplication application = start(Witness.class)) {
			List<Long> ids = this.database.jdbc().sql("""
					insert into gator_job (queue, name, args, cancel_requested)
					values ('default', 'Witness', '[1]', true), ('default', 'Witness', '[2]', false),
					       ('default', 'Witness', '[3]', false)
					returning id
					""").query(Long.class).list();
			await().until(() -> count("gator_job_history") == 3);
			assertThat(count("gator_job_history where state = 'CANCELLED' and id = " + ids.get(0))).isOne();
			assertThat(application.bean(Witness.class).seen)
				.containsExactly("[2, 3] of %1$d, logged as %1$d".formatted(ids.get(1)));
		}
	}

	@Test
	void aBatchThatFailsAnItemWhichIsNotItsOwnFailsAsAWhole() {
		try (TestApplication application = start(Stranger.class)) {
			application.bean(JobTemplate.class).dispatchMany(Stranger.class, items(0, 2));
			await().until(() -> count("gator_job") == 0);
			assertThat(count("gator_dead_job where error_details like '%does not belong to this batch%'")).isEqualTo(2);
		}
	}

	@Test
	void aBatchThatTakesTooLongIsInterruptedAndFails() {
		try (TestApplication application = start(Endless.class)) {
			application.bean(JobTemplate.class).dispatchMany(Endless.class, items(0, 2));
			await().until(() -> count("gator_dead_job where error_details like '%JobTimeoutException%'") == 2);
		}
	}

	@Test
	void deadItemsThatAreRetriedGoBackIntoTheBatchesOfTheirKeys() {
		try (TestApplication application = start(DeadByTenant.class)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			jobs.dispatchMany(DeadByTenant.class, List.of(new Activity(1, "one"), new Activity(2, "two")));
			DeadByTenant job = application.bean(DeadByTenant.class);
			await().until(() -> count("gator_dead_job") == 2);
			assertThat(job.batches).hasSize(2);
			JobAdmin admin = application.bean(JobAdmin.class);
			this.database.jdbc()
				.sql("select id from gator_dead_job")
				.query(Long.class)
				.list()
				.forEach((id) -> assertThat(admin.retry(id)).isTrue());
			await().until(() -> count("gator_job_history") == 2);
			assertThat(job.batches).hasSize(4).allSatisfy((batch) -> assertThat(batch).hasSize(1));
		}
	}

	@Test
	void listenersHearOfEachItem() {
		try (TestApplication application = start(RefuseOdd.class, Ear.class)) {
			application.bean(JobTemplate.class).dispatchMany(RefuseOdd.class, items(0, 10));
			Ear ear = application.bean(Ear.class);
			await().until(() -> ear.heard.stream().filter("dead"::equals).count() == 5);
			assertThat(ear.heard.stream().filter("succeeded"::equals)).hasSize(5);
			assertThat(ear.heard.stream().filter("failed"::equals)).hasSize(5);
			assertThat(ear.heard.stream().filter("started"::equals)).hasSize(15);
		}
	}

	@Test
	void anItemThatIsSnoozedHasNotFailedForListeners() {
		try (TestApplication application = start(SnoozesFirst.class, Ear.class)) {
			application.bean(JobTemplate.class).dispatchMany(SnoozesFirst.class, items(0, 2));
			Ear ear = application.bean(Ear.class);
			await().until(() -> ear.heard.contains("succeeded"));
			assertThat(ear.heard).containsExactly("started", "started", "succeeded");
			assertThat(count("gator_job where next_execution_at > now()")).isOne();
		}
	}

	/** Whatever happens within the time that a test waits happens without a poll. */
	private TestApplication startWithSlowPolls(Class<?>... beans) {
		return TestApplication.start(this.database, List.of(beans), "gator.worker.poll-interval=60s");
	}

	private TestApplication start(Class<?>... beans) {
		return TestApplication.start(this.database, List.of(beans), "gator.worker.poll-interval=50ms");
	}

	private int count(String table) {
		return this.database.jdbc().sql("select count(*) from " + table).query(Integer.class).single();
	}

	private static List<Activity> items(long from, long to) {
		return LongStream.range(from, to).mapToObj((id) -> new Activity(id, "one")).toList();
	}

	record Activity(long id, String tenant) {

	}

	@Job
	@Buffered(size = 10, maxWait = "300ms")
	static class Collect {

		final Queue<List<Activity>> batches = new ConcurrentLinkedQueue<>();

		void handle(List<Activity> activities) {
			this.batches.add(List.copyOf(activities));
		}

	}

	@Job
	@Buffered(size = 10, maxWait = "300ms", key = "tenant")
	static class ByTenant {

		final Queue<List<Activity>> batches = new ConcurrentLinkedQueue<>();

		void handle(List<Activity> activities) {
			this.batches.add(List.copyOf(activities));
		}

	}

	/** Its first two batches fail. */
	@Job
	@Buffered(size = 10, maxWait = "300ms", key = "tenant")
	static class DeadByTenant {

		final Queue<List<Activity>> batches = new ConcurrentLinkedQueue<>();

		void handle(List<Activity> activities) {
			this.batches.add(List.copyOf(activities));
			if (this.batches.size() <= 2) {
				throw new IllegalStateException("not yet");
			}
		}

	}

	@Job
	@Buffered(size = 10, maxWait = "100ms")
	@RetryWith(interval = "PT0.1S", maxRetries = 1)
	static class RefuseOdd {

		final Queue<String> sizes = new ConcurrentLinkedQueue<>();

		final Queue<Integer> compensated = new ConcurrentLinkedQueue<>();

		void handle(JobBatch<Activity> batch, JobContext context) {
			this.sizes.add(batch.items().size() + " in attempt " + context.attempt());
			for (Activity activity : batch.items()) {
				if (activity.id() % 2 == 1) {
					batch.fail(activity, new IllegalStateException("odd is refused"));
				}
			}
		}

		@OnDead
		void compensate(List<Activity> dead, Throwable error) {
			this.compensated.add(dead.size());
		}

	}

	@Job
	@Buffered(size = 32, maxWait = "100ms")
	@RetryWith(interval = "PT0.1S", maxRetries = 3)
	static class Poisoned {

		final Queue<Long> starts = new ConcurrentLinkedQueue<>();

		void handle(List<Activity> activities) {
			activities.forEach((activity) -> this.starts.add(activity.id()));
			if (activities.stream().anyMatch((activity) -> activity.id() == 13)) {
				throw new IllegalStateException("poisoned");
			}
		}

	}

	@Job
	@Buffered(size = 2, maxWait = "100ms", maxConcurrent = 2)
	static class Slow {

		final BlockingQueue<Integer> started = new LinkedBlockingQueue<>();

		final CountDownLatch go = new CountDownLatch(1);

		void handle(List<Activity> activities) throws InterruptedException {
			this.started.add(activities.size());
			this.go.await();
		}

	}

	@Job
	@Buffered(size = 2, maxWait = "1h", maxConcurrent = 1)
	static class OneByOne {

		final BlockingQueue<Integer> started = new LinkedBlockingQueue<>();

		final Semaphore go = new Semaphore(0);

		void handle(List<Activity> activities) throws InterruptedException {
			this.started.add(activities.size());
			this.go.acquire();
		}

	}

	@Job
	@Buffered(size = 10, maxWait = "1h")
	static class Patient {

		final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();

		void handle(List<Activity> activities) {
			this.sizes.add(activities.size());
		}

	}

	@Job
	@Buffered(size = 3, maxWait = "1h")
	static class Witness {

		final Queue<String> seen = new ConcurrentLinkedQueue<>();

		void handle(List<Integer> numbers, JobContext job) {
			this.seen.add(numbers + " of " + job.id() + ", logged as " + MDC.get(MdcKeys.ID));
		}

	}

	/** Fails an item that equals one of its own, as one from elsewhere may. */
	@Job
	@Buffered(size = 2, maxWait = "1h")
	static class Stranger {

		void handle(JobBatch<Activity> batch) {
			Activity own = batch.items().get(0);
			batch.fail(new Activity(own.id(), own.tenant()), new IllegalStateException("sent back by another service"));
		}

	}

	@Job
	@Buffered(size = 2, maxWait = "1h")
	static class SnoozesFirst {

		void handle(JobBatch<Activity> batch) {
			batch.fail(batch.items().get(0), new JobSnoozedException(Duration.ofHours(1)));
		}

	}

	@Job(timeout = "100ms")
	@Buffered(size = 2, maxWait = "1h")
	static class Endless {

		void handle(List<Activity> activities) throws InterruptedException {
			new CountDownLatch(1).await();
		}

	}

	static class Ear implements JobListener {

		final List<String> heard = new CopyOnWriteArrayList<>();

		@Override
		public void started(JobContext job) {
			this.heard.add("started");
		}

		@Override
		public void succeeded(JobContext job) {
			this.heard.add("succeeded");
		}

		@Override
		public void failed(JobContext job, Throwable error) {
			this.heard.add("failed");
		}

		@Override
		public void dead(JobContext job, Throwable error) {
			this.heard.add("dead");
		}

	}

}
