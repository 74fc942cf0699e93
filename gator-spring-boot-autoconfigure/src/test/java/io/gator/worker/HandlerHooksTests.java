package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobInterceptor;
import io.gator.JobListener;
import io.gator.JobSnoozedException;
import io.gator.JobTemplate;
import io.gator.OnDead;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Interceptors, listeners and {@link OnDead} around single jobs and around batches.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class HandlerHooksTests {

	private static final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

	private final DatabaseHandle database;

	private final JobTable table;

	private TestApplication application;

	private JobTemplate jobs;

	HandlerHooksTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
	}

	@BeforeAll
	void start() {
		this.application = TestApplication.start(this.database, List.of(Inner.class, Outer.class, Second.class,
				First.class, Single.class, Items.class, Dying.class, DyingItems.class, Postponed.class),
				"gator.worker.poll-interval=50ms");
		this.jobs = this.application.bean(JobTemplate.class);
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void clear() {
		this.table.clear();
		calls.clear();
	}

	@Test
	void interceptorsAndListenersAreCalledInTheirOrder() {
		this.jobs.dispatch(Single.class);
		assertThat(next(9)).containsExactly("first started", "second started", "outer in", "inner in", "handler",
				"inner out", "outer out", "first succeeded", "second succeeded");
	}

	@Test
	void interceptorsWrapTheCallForAWholeBatchAndListenersHearOfEachItem() {
		this.jobs.dispatchMany(Items.class, List.of(1, 2));
		assertThat(next(13)).containsExactly("first started", "second started", "first started", "second started",
				"outer in", "inner in", "handler of 2", "inner out", "outer out", "first succeeded", "second succeeded",
				"first succeeded", "second succeeded");
	}

	@Test
	void anInterruptThatAListenerLeavesIsNotTheHandlers() {
		this.jobs.to(Single.class).queue("interrupting").dispatch();
		assertThat(next(9)).contains("handler").doesNotContain("interrupted");
		this.jobs.to(Items.class).queue("interrupting").dispatchMany(List.of(1, 2));
		assertThat(next(13)).contains("handler of 2").doesNotContain("interrupted");
	}

	@Test
	void anInterceptorThatThrowsFailsTheWholeBatch() {
		List<Long> ids = this.jobs.to(Items.class).queue("guarded").dispatchMany(List.of(1, 2));
		assertThat(ids).allSatisfy((id) -> assertThat(this.table.awaitState(id, "DEAD").get("error_details").toString())
			.contains("Nobody passes"));
		assertThat(calls).doesNotContain("handler of 2");
	}

	@Test
	void theMethodForDeadJobsIsCalledOnceAndItsOwnErrorIsLoggedAndRecorded(CapturedOutput output) {
		long id = this.jobs.dispatch(Dying.class, "parcel");
		Map<String, Object> job = this.table.awaitState(id, "DEAD");
		assertThat(job.get("error_details").toString()).contains("it died", "@OnDead failed", "cannot make good");
		assertThat(job).containsEntry("attempts", 2);
		assertThat(calls.stream().filter((call) -> call.startsWith("compensated")))
			.containsExactly("compensated parcel in attempt 2: it died");
		assertThat(output.getOut()).contains("cannot make good");
	}

	@Test
	void theMethodForTheDeadOfABatchIsCalledOnceAndItsOwnErrorIsLoggedAndRecorded(CapturedOutput output) {
		List<Long> ids = this.jobs.dispatchMany(DyingItems.class, List.of("a", "b", "c"));
		assertThat(ids).allSatisfy((id) -> assertThat(this.table.awaitState(id, "DEAD").get("error_details").toString())
			.contains("they died", "@OnDead failed", "cannot make good"));
		assertThat(calls.stream().filter((call) -> call.startsWith("compensated")))
			.containsExactly("compensated [a, b, c]: they died");
		// Of a batch it is said when its items may be in their places already.
		await().untilAsserted(() -> assertThat(output.getOut()).contains("@OnDead failed", "cannot make good"));
	}

	@Test
	void theItemsOfASnoozedBatchComeBackLaterWithoutACharge() {
		List<Long> ids = this.jobs.dispatchMany(Postponed.class, List.of(1, 2));
		assertThat(ids)
			.allSatisfy((id) -> assertThat(this.table.awaitState(id, "SCHEDULED")).containsEntry("attempts", 0)
				.containsEntry("error_details", null));
	}

	private static List<String> next(int count) {
		return Stream.generate(() -> {
			try {
				return String.valueOf(calls.poll(10, TimeUnit.SECONDS));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}).limit(count).toList();
	}

	private static @Nullable Object around(String name, JobContext job, JobInterceptor.Invocation handler)
			throws Exception {
		calls.add(name + " in");
		if (job.queue().equals("guarded")) {
			throw new SecurityException("Nobody passes");
		}
		try {
			return handler.proceed();
		}
		finally {
			calls.add(name + " out");
		}
	}

	private static void handled(String what) {
		calls.add(Thread.currentThread().isInterrupted() ? "interrupted" : what);
	}

	@Order(2)
	static class Inner implements JobInterceptor {

		@Override
		public @Nullable Object intercept(JobContext job, Invocation handler) throws Exception {
			return around("inner", job, handler);
		}

	}

	@Order(1)
	static class Outer implements JobInterceptor {

		@Override
		public @Nullable Object intercept(JobContext job, Invocation handler) throws Exception {
			return around("outer", job, handler);
		}

	}

	@Order(2)
	static class Second extends Ear {

	}

	@Order(1)
	static class First extends Ear {

	}

	abstract static class Ear implements JobListener {

		@Override
		public void started(JobContext job) {
			heard("started");
			if (job.queue().equals("interrupting")) {
				Thread.currentThread().interrupt();
			}
		}

		@Override
		public void succeeded(JobContext job) {
			heard("succeeded");
		}

		private void heard(String what) {
			calls.add(getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT) + " " + what);
		}

	}

	@Job
	static class Single {

		void handle() {
			handled("handler");
		}

	}

	@Job
	@Buffered(size = 2, maxWait = "10s")
	static class Items {

		void handle(List<Integer> items) {
			handled("handler of " + items.size());
		}

	}

	@Job
	@RetryWith(interval = "PT0S", maxRetries = 1)
	static class Dying {

		void handle(String what) {
			throw new IllegalStateException("it died");
		}

		@OnDead
		void compensate(Throwable error, String what, JobContext job) {
			calls.add("compensated " + what + " in attempt " + job.attempt() + ": " + error.getMessage());
			throw new IllegalStateException("cannot make good");
		}

	}

	@Job
	@Buffered(size = 3, maxWait = "10s")
	static class DyingItems {

		void handle(List<String> items) {
			throw new IllegalStateException("they died");
		}

		@OnDead
		void compensate(List<String> items, Throwable error) {
			calls.add("compensated " + items + ": " + error.getMessage());
			throw new IllegalStateException("cannot make good");
		}

	}

	@Job
	@Buffered(size = 2, maxWait = "10s")
	static class Postponed {

		void handle(List<Integer> items) {
			throw new JobSnoozedException(Duration.ofHours(1));
		}

	}

}
