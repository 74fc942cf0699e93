package io.gator.fault;

import java.util.List;

import io.gator.DispatchOutcomeUnknownException;
import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * P2: returned means durable, and a lost answer says that the outcome is unknown.
 */
@FreshDatabase
class P02DispatchOutcomeTests {

	@Test
	void aLostAnswerIsReportedAndTheSameKeyNeverMakesTwoJobs(DatabaseHandle database) {
		try (WireProxy proxy = new WireProxy(database.port()); TestApplication application = start(database, proxy)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			proxy.loseAnswers((sql) -> sql.contains("insert into") && sql.contains("gator_job"), 1);
			assertThatThrownBy(() -> jobs.to(Note.class).uniqueKey("one").dispatch("hello"))
				.isInstanceOf(DispatchOutcomeUnknownException.class)
				.hasMessageContaining("Note");
			proxy.loseNothing();
			long id = jobs.to(Note.class).uniqueKey("one").dispatch("hello");
			assertThat(
					database.jdbc().sql("select id from gator_job where unique_key = 'one'").query(Long.class).list())
				.containsExactly(id);
		}
	}

	@Test
	void theCommitOfABulkWhoseAnswerIsLostIsUnknown(DatabaseHandle database) {
		try (WireProxy proxy = new WireProxy(database.port()); TestApplication application = start(database, proxy)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			proxy.loseAnswers(WireProxy::isCommit, 1);
			List<String> many = java.util.stream.IntStream.range(0, 12_000).mapToObj((i) -> "n" + i).toList();
			assertThatThrownBy(() -> jobs.dispatchMany(Note.class, many))
				.isInstanceOf(DispatchOutcomeUnknownException.class);
			// All or nothing, whatever came of it.
			assertThat(database.jdbc()
				.sql("select count(*) from gator_job where args::text like '%\"n%'")
				.query(Integer.class)
				.single()).isIn(0, 12_000);
		}
	}

	@Test
	void aConnectionThatBreaksBeforeAnythingWasSentIsAnOrdinaryFailure(DatabaseHandle database) {
		try (WireProxy proxy = new WireProxy(database.port()); TestApplication application = start(database, proxy)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			TransactionTemplate transaction = new TransactionTemplate(
					application.bean(PlatformTransactionManager.class));
			proxy.loseAnswers((sql) -> sql.contains("insert into") && sql.contains("gator_job"), 1);
			assertThatThrownBy(() -> transaction.execute((status) -> jobs.dispatch(Note.class, "in a transaction")))
				.isNotInstanceOf(DispatchOutcomeUnknownException.class);
			assertThat(database.jdbc()
				.sql("select count(*) from gator_job where args::text like '%transaction%'")
				.query(Integer.class)
				.single()).isZero();
		}
	}

	private static TestApplication start(DatabaseHandle database, WireProxy proxy) {
		return TestApplication.start(database, List.of(Note.class), "spring.datasource.url=jdbc:postgresql://localhost:"
				+ proxy.port() + "/" + database.name() + "?sslmode=disable&gssEncMode=disable",
				"gator.worker.enabled=false");
	}

	/** Takes a text. */
	@Job
	static class Note {

		void handle(String text) {
		}

	}

}
