package io.gator.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.RetryWith;
import io.gator.autoconfigure.GatorAutoConfiguration;
import io.gator.autoconfigure.GatorWorkerAutoConfiguration;
import io.gator.store.GatorStores;
import io.gator.worker.WorkerMetrics;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A worker process: an ordinary application with some jobs that write down when they
 * start and end.
 */
final class FaultWorker {

	private static final Duration STALL = Duration.ofMillis(200);

	private FaultWorker() {
	}

	/**
	 * Run until killed.
	 * @param args none
	 * @throws ClassNotFoundException if an application was named that is not there
	 */
	public static void main(String[] args) throws ClassNotFoundException {
		// A build that is ended must not leave its workers behind.
		ProcessHandle.current()
			.parent()
			.ifPresent((parent) -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
		new SpringApplicationBuilder(sources()).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.main.keep-alive=true",
					"spring.datasource.hikari.maximum-pool-size=5", "spring.datasource.hikari.minimum-idle=1",
					"spring.datasource.hikari.connection-timeout=5000")
			.run(args)
			.getBean(Journal.class)
			.write("READY", 0);
	}

	private static Class<?>[] sources() throws ClassNotFoundException {
		String application = System.getProperty("gator.fault.application");
		return (application != null) ? new Class<?>[] { Application.class, Class.forName(application) }
				: new Class<?>[] { Application.class };
	}

	/** Beans of a worker. */
	@Configuration(proxyBeanMethods = false)
	@Import({ Features.class, FaultProducer.class, Migrator.class })
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, GatorAutoConfiguration.class,
			GatorWorkerAutoConfiguration.class })
	static class Application {

		@Bean
		Journal journal() {
			Journal journal = new Journal(Path.of(System.getProperty("gator.fault.journal")));
			Thread watch = new Thread(() -> noteStalls(journal), "stalls");
			watch.setDaemon(true);
			watch.start();
			return journal;
		}

		/** A process that is held up for as long as its lease has rightly lost it. */
		private static void noteStalls(Journal journal) {
			long last = System.nanoTime();
			while (true) {
				LockSupport.parkNanos(STALL.toNanos() / 10);
				long now = System.nanoTime();
				if (now - last > STALL.toNanos()) {
					journal.write("STALL", last);
				}
				last = now;
			}
		}

		@Bean
		static BeanPostProcessor probe() {
			return new BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof GatorStores stores) {
						String bug = System.getProperty("gator.fault.bug");
						if (bug != null) {
							KnownBug.valueOf(bug).into(stores);
						}
					}
					return bean;
				}
			};
		}

		@Bean
		@ConditionalOnProperty("gator.fault.halt")
		static Halt halt(Environment environment, ObjectProvider<Journal> journal) {
			return new Halt(environment.getRequiredProperty("gator.fault.halt"), journal::getObject);
		}

		@Bean
		WorkerMetrics metrics(Journal journal) {
			return new WorkerMetrics() {
				@Override
				public void leasesLost(String pool, int jobs) {
					journal.write("LATE", jobs);
				}
			};
		}

		@Bean
		Work work(Journal journal) {
			return new Work(journal);
		}

		@Bean
		Fragile fragile(Journal journal) {
			return new Fragile(journal);
		}

		@Bean
		Effect effect(Journal journal, JdbcTemplate jdbc) {
			return new Effect(journal, jdbc);
		}

		@Bean
		Poison poison(Journal journal) {
			return new Poison(journal);
		}

		@Bean
		Note note(Journal journal) {
			return new Note(journal);
		}

	}

	static void run(Journal journal, JobContext job, Body body) throws Exception {
		journal.write("START", job.id(), job.lease(), job.attempt());
		String outcome = "failed";
		try {
			body.run();
			outcome = "ok";
		}
		catch (InterruptedException ex) {
			outcome = "interrupted";
			throw ex;
		}
		finally {
			journal.write("END", job.id(), job.lease(), outcome);
		}
	}

	/**
	 * What a job does.
	 */
	interface Body {

		void run() throws Exception;

	}

	/** Takes its time; fails the first time if it is told to. */
	@Job
	@RetryWith(interval = "200ms", maxRetries = 40)
	static class Work {

		private final Journal journal;

		Work(Journal journal) {
			this.journal = journal;
		}

		void handle(long millis, boolean flaky, JobContext job) throws Exception {
			run(this.journal, job, () -> {
				Thread.sleep(millis);
				if (flaky && job.attempt() == 1) {
					throw new IllegalStateException("the first time");
				}
			});
		}

	}

	/** Has few attempts, which crashes use up. */
	@Job
	@RetryWith(interval = "100ms", maxRetries = 2)
	static class Fragile {

		private final Journal journal;

		Fragile(Journal journal) {
			this.journal = journal;
		}

		void handle(long millis, JobContext job) throws Exception {
			run(this.journal, job, () -> Thread.sleep(millis));
		}

	}

	/** Has an effect in the database, which is there exactly if it succeeded. */
	@Job(transactional = true)
	@RetryWith(interval = "200ms", maxRetries = 40)
	static class Effect {

		private final Journal journal;

		private final JdbcTemplate jdbc;

		Effect(Journal journal, JdbcTemplate jdbc) {
			this.journal = journal;
			this.jdbc = jdbc;
		}

		void handle(long millis, JobContext job) throws Exception {
			run(this.journal, job, () -> {
				this.jdbc.update("insert into fault_effect (job, lease) values (?, ?)", job.id(), job.lease());
				Thread.sleep(millis);
			});
		}

	}

	/** Ends its process. */
	@Job
	@RetryWith(interval = "100ms", maxRetries = 2)
	static class Poison {

		private final Journal journal;

		Poison(Journal journal) {
			this.journal = journal;
		}

		void handle(JobContext job) {
			this.journal.write("START", job.id(), job.lease(), job.attempt());
			this.journal.write("HALT");
			Runtime.getRuntime().halt(66);
		}

	}

	/** Writes its number down, and nothing else. */
	@Job
	static class Note {

		private final Journal journal;

		Note(Journal journal) {
			this.journal = journal;
		}

		void handle(int number, JobContext job) {
			this.journal.write("RAN", job.id(), number, job.attempt(), job.lease());
		}

	}

}
