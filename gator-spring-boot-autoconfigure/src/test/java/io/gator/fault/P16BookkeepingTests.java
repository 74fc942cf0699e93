package io.gator.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.gator.Job;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * P16: bookkeeping cannot be broken by data, nor by what a handler leaves behind.
 */
@FreshDatabase
class P16BookkeepingTests {

	@Test
	void anyExceptionIsRecorded(DatabaseHandle database) {
		everyExceptionIsRecorded(database, Duration.ofSeconds(30), Thrower.class);
	}

	@Test
	void anErrorTextThatWasNotSanitisedWouldBeSeen(DatabaseHandle database) {
		assertThatThrownBy(
				() -> everyExceptionIsRecorded(database, Duration.ofSeconds(5), Thrower.class, Unsanitised.class))
			.isInstanceOfAny(AssertionError.class, ConditionTimeoutException.class);
	}

	private static void everyExceptionIsRecorded(DatabaseHandle database, Duration patience, Class<?>... beans) {
		JobTable table = JobTable.empty(database);
		List<String> kinds = List.of("null", "nul", "surrogate", "silent", "circle", "deep", "long", "error", "oom",
				"stack", "suppressed", "interrupt", "trace");
		try (TestApplication application = TestApplication.start(database, List.of(beans))) {
			kinds.forEach((kind) -> table.insert("default", "Thrower", "[\"" + kind + "\"]"));
			await().atMost(patience)
				.until(() -> database.jdbc()
					.sql("select count(*) from gator_dead_job")
					.query(Integer.class)
					.single() == kinds.size());
			assertThat(database.jdbc().sql("select error_details from gator_dead_job").query(String.class).list())
				.allSatisfy((text) -> assertThat(text).containsAnyOf("Exception", "Error", "Silent", "Thrower")
					.doesNotContain("cannot be written")
					.hasSizeLessThan(20_000));
			assertThat(application.context().isRunning()).isTrue();
		}
	}

	@Test
	void whatAHandlerLeavesBehindNeverReachesTheNext(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		database.jdbc().sql("create table if not exists leaked (x int)").update();
		try (TestApplication application = TestApplication.start(database, List.of(Leaker.class, Observer.class),
				"gator.worker.concurrency=1")) {
			for (int i = 0; i < 3; i++) {
				table.insert("default", "Leaker", "[]");
				table.insert("default", "Observer", "[]");
			}
			Observer observer = application.bean(Observer.class);
			await().until(() -> database.jdbc().sql("""
					select (select count(*) from gator_job_history where name = 'Observer')
					     + (select count(*) from gator_dead_job where name = 'Leaker')
					""").query(Integer.class).single() == 6);
			assertThat(observer.found).isEmpty();
			assertThat(database.jdbc().sql("select count(*) from leaked").query(Integer.class).single()).isZero();
			assertThat(database.jdbc()
				.sql("select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'")
				.query(Integer.class)
				.single()).isZero();
		}
	}

	/** Throws whatever there is. */
	@Job
	static class Thrower {

		void handle(String kind) throws Throwable {
			switch (kind) {
				case "null" -> throw new IllegalStateException((String) null);
				case "nul" -> throw new IllegalStateException("a\0b");
				case "surrogate" -> throw new IllegalStateException("half of a pair: \uD83D");
				case "silent" -> throw new Silent();
				case "circle" -> {
					RuntimeException first = new RuntimeException("first");
					throw new RuntimeException("second", first) {
						{
							first.initCause(this);
						}
					};
				}
				case "deep" -> {
					Throwable cause = new IllegalStateException("the first");
					for (int i = 0; i < 5000; i++) {
						cause = new IllegalStateException("level " + i, cause);
					}
					throw cause;
				}
				case "long" -> throw new IllegalStateException("x".repeat(5_000_000));
				case "error" -> throw new AssertionError("an error");
				case "oom" -> throw new OutOfMemoryError("not really");
				case "stack" -> recurse(0);
				case "suppressed" -> {
					IllegalStateException error = new IllegalStateException("with many");
					for (int i = 0; i < 5000; i++) {
						error.addSuppressed(new IllegalStateException("suppressed " + i));
					}
					throw error;
				}
				case "interrupt" -> {
					Thread.currentThread().interrupt();
					throw new IllegalStateException("interrupted by itself");
				}
				default -> throw new IllegalStateException("no trace") {
					@Override
					public StackTraceElement[] getStackTrace() {
						throw new IllegalStateException("none, really");
					}
				};
			}
		}

		@SuppressWarnings("InfiniteRecursion")
		private int recurse(int depth) {
			return (depth < 0) ? depth : recurse(depth + 1) + 1;
		}

	}

	/** Cannot even say what it is. */
	static class Silent extends IllegalStateException {

		@Override
		public String getMessage() {
			throw new UnsupportedOperationException("java.lang.nothing");
		}

		@Override
		public String toString() {
			throw new UnsupportedOperationException();
		}

	}

	/** Leaves everything open. */
	@Job
	static class Leaker {

		private final PlatformTransactionManager transactions;

		private final JdbcTemplate jdbc;

		Leaker(PlatformTransactionManager transactions, JdbcTemplate jdbc) {
			this.transactions = transactions;
			this.jdbc = jdbc;
		}

		void handle() {
			this.transactions
				.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRED));
			this.jdbc.update("insert into leaked values (1)");
			MDC.put("secret", "of the job before");
			Thread.currentThread().interrupt();
		}

	}

	/** Looks what it finds. */
	@Job
	static class Observer {

		final List<String> found = new ArrayList<>();

		void handle() {
			if (TransactionSynchronizationManager.isActualTransactionActive()
					|| !TransactionSynchronizationManager.getResourceMap().isEmpty()) {
				this.found.add("a transaction");
			}
			if (MDC.get("secret") != null) {
				this.found.add("an MDC value");
			}
			if (Thread.currentThread().isInterrupted()) {
				this.found.add("an interrupt");
			}
		}

	}

	/** The bug: error texts are taken as they are. */
	@Configuration(proxyBeanMethods = false)
	static class Unsanitised {

		@Bean
		static org.springframework.beans.factory.config.BeanPostProcessor unsanitised() {
			return KnownBug.UNSANITISED_ERRORS.asBean();
		}

	}

}
