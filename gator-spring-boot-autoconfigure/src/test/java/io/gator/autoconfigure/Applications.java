package io.gator.autoconfigure;

import java.util.List;

import io.gator.Job;
import io.gator.JobOperations;
import io.gator.test.DatabaseHandle;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Applications with Gator and what it needs, each started and closed by its test, and
 * beans for them.
 */
final class Applications {

	private Applications() {
	}

	/** An application that dispatches and works, with Boot's transactions. */
	static ApplicationContextRunner on(DatabaseHandle database) {
		return withoutTransactions(database)
			.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class));
	}

	static ApplicationContextRunner withoutTransactions(DatabaseHandle database) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, GatorAutoConfiguration.class,
					GatorWorkerAutoConfiguration.class))
			.withPropertyValues(database.springProperties());
	}

	/** The names of Gator's auto-configurations that Boot finds. */
	static List<String> autoConfigurations() {
		return ImportCandidates.load(AutoConfiguration.class, Applications.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.gator."))
			.toList();
	}

	/** Asks for what dispatches. */
	static class SignUps {

		final JobOperations jobs;

		SignUps(JobOperations jobs) {
			this.jobs = jobs;
		}

	}

	@Job
	static class Noted {

		void handle(String text) {
		}

	}

	@Job(transactional = true)
	static class Booked {

		void handle() {
		}

	}

}
