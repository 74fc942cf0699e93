package io.gator.fault;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobArgs;
import io.gator.JobTemplate;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.GatorStores;
import io.gator.store.JobStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Which queues the statements of a pool look at.
 */
@FreshDatabase
class PausedQueueTests {

	private static final Queue<String> looked = new ConcurrentLinkedQueue<>();

	@Test
	void noStatementLooksAtAPausedQueue(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database,
				List.of(Watched.class, Note.class, Many.class), "gator.worker.poll-interval=50ms")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			jobs.to(Note.class).queue("paused").dispatch();
			jobs.to(Note.class).queue("open").dispatch();
			await().until(() -> looked.contains("claim paused") && looked.contains("batches paused")
					&& looked.contains("due paused"));
			application.bean(JobAdmin.class).pause("paused");
			// With its beat a pool tells of the queues that its claims look at.
			await().until(() -> database.jdbc()
				.sql("select count(*) from gator_worker where 'paused' = any(queues)")
				.query(Integer.class)
				.single() == 0);
			looked.clear();
			jobs.to(Note.class).queue("paused").dispatch();
			jobs.to(Note.class).queue("paused").delay(Duration.ofMillis(100)).dispatch();
			jobs.to(Note.class).queue("open").delay(Duration.ofMillis(100)).dispatch();
			await().pollDelay(Duration.ofSeconds(1))
				.until(() -> looked.contains("claim open") && looked.contains("batches open")
						&& looked.contains("due open"));
			assertThat(looked).noneMatch((look) -> look.endsWith(" paused"));
		}
	}

	@Test
	void whatWasClaimedOfAQueueBeforeItWasPausedGoesBackUncharged(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Note.class, Wait.class),
				"gator.worker.concurrency=1", "gator.worker.prefetch=5s")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			// Short ones, by which the pool learns to claim ahead.
			jobs.dispatchMany(Note.class, Collections.nCopies(50, JobArgs.args()));
			table.awaitEmpty();
			jobs.to(Wait.class).queue("halted").dispatchMany(Collections.nCopies(20, JobArgs.args()));
			await().until(() -> table.count("gator_job where reserved_by is not null") == 20);
			application.bean(JobAdmin.class).pause("halted");
			await().until(() -> table.count("gator_job where reserved_by is not null") == 1);
			assertThat(table.count("gator_job where attempts = 0")).isEqualTo(19);
			application.bean(JobAdmin.class).resume("halted");
			application.bean(Wait.class).go.countDown();
			table.awaitEmpty();
			assertThat(table.count("gator_job_history where name = 'Wait' and attempts = 1")).isEqualTo(20);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Watched {

		@Bean
		static BeanPostProcessor watch() {
			return new BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof GatorStores stores) {
						JobStore target = stores.jobs();
						Internals.set(stores, "jobs", Proxy.newProxyInstance(JobStore.class.getClassLoader(),
								new Class<?>[] { JobStore.class }, (proxy, method, args) -> {
									if (args != null) {
										note(method.getName(), args);
									}
									return method.invoke(target, args);
								}));
					}
					return bean;
				}
			};
		}

		private static void note(String method, Object[] args) {
			if (args[0] instanceof ClaimRequest claim) {
				claim.queues().forEach((share) -> looked.add("claim " + share.queue()));
			}
			else if (args[0] instanceof BatchRequest batches) {
				batches.queues().forEach((queue) -> looked.add("batches " + queue));
			}
			else if (method.equals("nextDue")) {
				((Collection<?>) args[1]).forEach((queue) -> looked.add("due " + queue));
			}
		}

	}

	@Job
	static class Note {

		void handle() {
		}

	}

	@Job
	static class Wait {

		final CountDownLatch go = new CountDownLatch(1);

		void handle() throws InterruptedException {
			this.go.await();
		}

	}

	@Job
	@Buffered
	static class Many {

		void handle(List<Integer> numbers) {
		}

	}

}
