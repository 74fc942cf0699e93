package io.gator.worker;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import io.gator.test.Unspeakable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class WorkerMetricsTests {

	@Test
	void jobsThatCannotBeCountedAreRunOnceAllTheSame(DatabaseHandle database, CapturedOutput output) {
		JobTable table = JobTable.empty(database);
		List<Integer> numbers = IntStream.range(0, 20).boxed().toList();
		try (TestApplication application = TestApplication.start(database,
				List.of(Broken.class, Sound.class, Single.class, Items.class), "gator.worker.poll-interval=50ms")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			Sound sound = application.bean(Sound.class);
			jobs.dispatchMany(Single.class, numbers);
			jobs.dispatchMany(Items.class, numbers);
			table.awaitEmpty();
			assertThat(table.count("gator_job_history where attempts = 1")).isEqualTo(40);
			assertThat(application.bean(Single.class).handled).containsExactlyInAnyOrderElementsOf(numbers);
			assertThat(application.bean(Items.class).handled).containsExactlyInAnyOrderElementsOf(numbers);
			// A run is counted a moment after its outcome may be in the database.
			await().untilAsserted(() -> assertThat(sound.executed).hasValue(40));
			assertThat(sound.waited).as("items of batches, each").hasValue(40);
			assertThat(sound.claimed).hasValue(40);
			await().untilAsserted(() -> assertThat(sound.settled).hasValue(40));
			assertThat(sound.longest.get()).as("a time, in nanoseconds").isBetween(1L, TimeUnit.MINUTES.toNanos(1));
			// The loop that settles has gone on.
			table.awaitState(jobs.dispatch(Single.class, 20), "SUCCEEDED");
			assertThat(output.getOut().split("threw while counting")).as("of dispatches once, and of runs").hasSize(3);
		}
	}

	@Test
	void whatMetricsThrowIsKeptFromTheEngineAndFromOtherMetricsWhateverIsCounted() {
		Sound sound = new Sound();
		for (WorkerMetrics metrics : List.of(WorkerMetrics.of(Stream.of(Broken.metrics())),
				WorkerMetrics.of(Stream.of(Broken.metrics(), sound)))) {
			assertThatNoException().isThrownBy(() -> {
				metrics.waited("Job", "default", 1);
				metrics.executed("Job", "default", AttemptOutcome.SUCCEEDED, 1);
				metrics.claimed("default", 1, 1);
				metrics.settled("default", 1, 1);
				metrics.leasesLost("default", 1);
				metrics.dispatched("Job", "default", 1);
				metrics.rescued(1);
			});
		}
		assertThat(sound.executed).hasValue(1);
	}

	@Test
	void anErrorOfMetricsThatCannotBeReadIsKeptFromTheEngine(CapturedOutput output) {
		WorkerMetrics metrics = WorkerMetrics.of(Stream.of(new WorkerMetrics() {

			@Override
			public void rescued(int jobs) {
				throw new Unspeakable();
			}

		}));
		assertThatNoException().isThrownBy(() -> metrics.rescued(1));
		assertThat(output).contains("threw while counting", Unspeakable.class.getName());
	}

	/** As a registry is whose settings are wrong. */
	@Configuration(proxyBeanMethods = false)
	static class Broken {

		@Bean
		@Order(1)
		static WorkerMetrics metrics() {
			return (WorkerMetrics) Proxy.newProxyInstance(Broken.class.getClassLoader(),
					new Class<?>[] { WorkerMetrics.class }, (proxy, method, args) -> {
						if (method.getDeclaringClass() == WorkerMetrics.class) {
							throw new IllegalStateException("no such meter");
						}
						return method.invoke(Broken.class, args);
					});
		}

	}

	@Order(2)
	static class Sound implements WorkerMetrics {

		final AtomicInteger waited = new AtomicInteger();

		final AtomicInteger executed = new AtomicInteger();

		final AtomicInteger claimed = new AtomicInteger();

		final AtomicInteger settled = new AtomicInteger();

		final AtomicLong longest = new AtomicLong();

		@Override
		public void claimed(String pool, int jobs, long nanos) {
			this.longest.accumulateAndGet(nanos, Math::max);
			this.claimed.addAndGet(jobs);
		}

		@Override
		public void settled(String pool, int jobs, long nanos) {
			this.longest.accumulateAndGet(nanos, Math::max);
			this.settled.addAndGet(jobs);
		}

		@Override
		public void waited(String name, String queue, long nanos) {
			this.longest.accumulateAndGet(nanos, Math::max);
			this.waited.incrementAndGet();
		}

		@Override
		public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
			this.longest.accumulateAndGet(nanos, Math::max);
			this.executed.incrementAndGet();
		}

	}

	@Job
	static class Single {

		final Queue<Integer> handled = new ConcurrentLinkedQueue<>();

		void handle(int number) {
			this.handled.add(number);
		}

	}

	@Job
	@Buffered(size = 10, maxWait = "100ms")
	static class Items {

		final Queue<Integer> handled = new ConcurrentLinkedQueue<>();

		void handle(List<Integer> numbers) {
			this.handled.addAll(numbers);
		}

	}

}
