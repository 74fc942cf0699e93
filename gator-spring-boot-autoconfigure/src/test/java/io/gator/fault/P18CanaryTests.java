package io.gator.fault;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * P18: arguments never reach logs or error columns, nor do the values that PostgreSQL
 * quotes.
 */
@FreshDatabase
class P18CanaryTests {

	private static final String CANARY = "canary-7f3a9c";

	@Test
	void aSecretInArgumentsAndInTheDetailsOfSqlErrorsAppearsNowhere(DatabaseHandle database) {
		database.jdbc().sql("create table taken (name text primary key)").update();
		database.jdbc().sql("insert into taken values (?)").param(CANARY).update();
		Logger logger = (Logger) LoggerFactory.getLogger("io.gator");
		Level before = logger.getLevel();
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		try (TestApplication application = TestApplication.start(database, List.of(Secretive.class))) {
			logger.addAppender(lines);
			logger.setLevel(Level.TRACE);
			JobTemplate jobs = application.bean(JobTemplate.class);
			jobs.dispatch(Secretive.class, CANARY, "duplicate");
			jobs.dispatch(Secretive.class, CANARY, "ok");
			jobs.dispatch(Secretive.class, CANARY, "fail");
			database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Secretive', json_build_object('x', ?))")
				.param(CANARY)
				.update();
			database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Secretive', json_build_array(json_build_array(?), 1, 2))")
				.param(CANARY)
				.update();
			assertThatThrownBy(() -> jobs.dispatch(Secretive.class, CANARY, "a", "b", "c"))
				.satisfies((ex) -> assertThat(ErrorTexts.all(ex)).doesNotContain(CANARY));
			assertThatThrownBy(() -> jobs.dispatch(Secretive.class, CANARY, List.of(CANARY)))
				.satisfies((ex) -> assertThat(ErrorTexts.all(ex)).doesNotContain(CANARY));
			await().until(() -> database.jdbc()
				.sql("select (select count(*) from gator_dead_job) + (select count(*) from gator_job_history)")
				.query(Integer.class)
				.single() == 5);
			assertThat(database.jdbc().sql("select error_details from gator_dead_job").query(String.class).list())
				.hasSize(4)
				.allSatisfy((text) -> assertThat(text).doesNotContain(CANARY));
			assertThat(database.jdbc()
				.sql("select count(*) from gator_job_history h where h::text like '%" + CANARY + "%'")
				.query(Integer.class)
				.single()).isZero();
		}
		finally {
			logger.setLevel(before);
			logger.detachAppender(lines);
		}
		assertThat(lines.list).isNotEmpty();
		for (ILoggingEvent line : lines.list) {
			assertThat(line.getFormattedMessage()).doesNotContain(CANARY);
			for (IThrowableProxy error = line.getThrowableProxy(); error != null; error = error.getCause()) {
				assertThat(String.valueOf(error.getMessage())).doesNotContain(CANARY);
			}
		}
	}

	/** Has a secret among its arguments. */
	@Job
	static class Secretive {

		private final JdbcTemplate jdbc;

		Secretive(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle(String secret, String what) {
			if (what.equals("duplicate")) {
				this.jdbc.update("insert into taken values (?)", secret);
			}
			if (what.equals("fail")) {
				throw new IllegalStateException("without the secret");
			}
		}

	}

	/** All texts of an exception. */
	static final class ErrorTexts {

		private ErrorTexts() {
		}

		static String all(Throwable error) {
			StringBuilder text = new StringBuilder();
			for (Throwable cause = error; cause != null; cause = cause.getCause()) {
				text.append(cause).append('\n');
			}
			return text.toString();
		}

	}

}
