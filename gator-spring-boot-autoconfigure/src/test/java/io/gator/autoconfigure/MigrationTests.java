package io.gator.autoconfigure;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.store.Migration;
import io.gator.store.SqlErrors;
import io.gator.store.UnsuitableDatabaseException;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Gator's tables beside those of the application, whatever makes them, on an empty
 * database, on one that is filled, and once more on what is there then.
 */
class MigrationTests {

	private DatabaseHandle database;

	@BeforeEach
	void create() {
		this.database = TestDatabase.create();
	}

	@AfterEach
	void drop() {
		this.database.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void anApplicationWithoutAMigrationToolStartsTwice(boolean filled) {
		if (filled) {
			execute("create table customer (id bigint primary key)");
		}
		startTwice(runner());
	}

	@Test
	void anApplicationWithFlywayOnAnEmptyDatabaseStartsTwice() {
		startTwice(flyway());
		assertThat(count("flyway_schema_history where success")).isEqualTo(1);
	}

	@Test
	void anApplicationWithFlywayOnADatabaseThatItHasFilledStartsTwice() {
		flyway().withPropertyValues("gator.enabled=false").run((context) -> assertThat(context).hasNotFailed());
		assertThat(count("pg_tables where tablename like 'gator%'")).isZero();
		execute("insert into customer values (1)");
		startTwice(flyway());
		assertThat(count("customer")).isEqualTo(1);
	}

	@Test
	void anApplicationThatHasRunAloneNeedsABaselineToAddFlyway() {
		startTwice(runner());
		flyway().run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("Found non-empty schema(s)"));
		startTwice(flyway().withPropertyValues("spring.flyway.baseline-on-migrate=true",
				"spring.flyway.baseline-version=0"));
		assertThat(count("flyway_schema_history where version = '1' and success")).isEqualTo(1);
	}

	@Test
	void anApplicationWithLiquibaseOnAnEmptyDatabaseStartsTwice() {
		startTwice(liquibase());
		assertThat(count("databasechangelog")).isEqualTo(1);
	}

	@Test
	void anApplicationWithLiquibaseOnADatabaseThatItHasFilledStartsTwice() {
		liquibase().withPropertyValues("gator.enabled=false").run((context) -> assertThat(context).hasNotFailed());
		execute("insert into customer values (1)");
		startTwice(liquibase());
		assertThat(count("customer")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "update", "create-drop" })
	void anApplicationWithTablesOfHibernateStartsTwice(String ddl) {
		startTwice(hibernate(ddl));
	}

	@Test
	void anApplicationWithTablesOfHibernateOnADatabaseThatItHasFilledStartsTwice() {
		hibernate("update").withPropertyValues("gator.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		execute("insert into customer values (1)");
		startTwice(hibernate("update"));
		startTwice(hibernate("validate"));
		assertThat(count("customer")).isEqualTo(1);
	}

	@Test
	void eightMigratorsAtOnceMigrateOnce() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			CyclicBarrier barrier = new CyclicBarrier(8);
			List<Future<Object>> migrations = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				Callable<Object> migration = () -> {
					barrier.await();
					// The schema is not there yet either.
					new Migration(this.database.createDataSource(), "jobs", true).afterPropertiesSet();
					return "done";
				};
				migrations.add(threads.submit(migration));
			}
			for (Future<Object> migration : migrations) {
				assertThat(migration.get()).isEqualTo("done");
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(count("jobs.gator_schema_history where version = '1' and success")).isEqualTo(1);
	}

	@Test
	void anotherSchemaIsCreatedAndNothingIsMadeInPublic() {
		startTwice(runner().withPropertyValues("gator.schema=my_jobs"), "my_jobs");
		assertThat(count("pg_tables where schemaname = 'public'")).isZero();
		assertThat(count("pg_namespace where nspname = 'my_jobs'")).isEqualTo(1);
	}

	@Test
	void twoApplicationsWithSchemasOfTheirOwnDoNotSeeEachOther() {
		startTwice(runner().withPropertyValues("gator.schema=one"), "one");
		startTwice(runner().withPropertyValues("gator.schema=two"), "two");
		assertThat(count("one.gator_job_history")).isEqualTo(2);
		assertThat(count("two.gator_job_history")).isEqualTo(2);
	}

	@Test
	void withoutMigrationTheTablesThatAreThereAreUsed() {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		execute("drop table gator_schema_history");
		startTwice(runner().withPropertyValues("gator.migrate=false"));
		assertThat(count("pg_tables where tablename = 'gator_schema_history'")).isZero();
	}

	@Test
	void aHistoryThatSomebodyHasEmptiedIsRefusedUntilFlywayIsToldAgain() {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		execute("truncate gator_schema_history");
		runner().run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(UnsuitableDatabaseException.class,
					(ex) -> assertThat(ex.action()).contains("let it spare gator_schema_history"))
			.hasMessageEndingWith("or an empty one"));
		execute("drop table gator_schema_history");
		baseline();
		startTwice(runner());
	}

	@Test
	void tablesMadeByHandAreRefusedAndLeftAloneUntilFlywayIsToldOfThem() {
		execute("create table customer (id bigint primary key)");
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		execute("drop table gator_schema_history");
		runner().run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(UnsuitableDatabaseException.class,
					(ex) -> assertThat(ex.action())
						.contains("flyway -schemas=public -table=gator_schema_history -baselineVersion=… baseline"))
			.hasMessageStartingWith("The schema 'public' holds gator_job, but no gator_schema_history"));
		assertThat(count("pg_tables where tablename = 'gator_schema_history'")).isZero();
		baseline();
		startTwice(runner());
	}

	private void baseline() {
		Flyway.configure()
			.dataSource(this.database.createDataSource())
			.schemas("public")
			.table("gator_schema_history")
			.baselineVersion("4")
			.load()
			.baseline();
	}

	@Test
	void withoutMigrationNothingIsMade() {
		runner().withPropertyValues("gator.migrate=false").run((context) -> assertThat(context).hasFailed());
		assertThat(count("pg_tables where schemaname = 'public'")).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "drop table gator_insight, gator_insight",
			"alter table gator_dead_job drop column batch_key, gator_dead_job.batch_key",
			"alter table gator_queue drop column used_at, gator_queue.used_at" })
	void withoutMigrationWhatOnlyALaterScriptMakesIsMissed(String undo, String missing) {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		execute(undo);
		runner().withPropertyValues("gator.migrate=false")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("The schema 'public' does not hold " + missing + ", and gator.migrate is false"));
	}

	@Test
	void whatWasDroppedAfterTheMigrationIsMissedAndTheHistoryIsNamed() {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		execute("drop table gator_insight");
		runner().run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageStartingWith("The schema 'public' does not hold gator_insight")
			.hasMessageContaining("gator_schema_history")
			.hasMessageNotContaining("gator.migrate"));
	}

	@ParameterizedTest
	@CsvSource({ "gator_worker, permission denied for table gator_schema_history",
			"gator_schema_history, must be owner of table gator_queue" })
	void aRoleThatMayNotMigrateIsToldWhatToDo(String owned, String refusal) {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		execute("delete from gator_schema_history where version = '4'");
		String role = "reader_of_" + this.database.name();
		execute("create role " + role + " login password 'reader'");
		try {
			execute("alter table " + owned + " owner to " + role);
			runner().withPropertyValues("spring.datasource.username=" + role, "spring.datasource.password=reader")
				.run((context) -> assertThat(
						SqlErrors.cause(context.getStartupFailure(), UnsuitableDatabaseException.class))
					.hasValueSatisfying((ex) -> {
						assertThat(ex).hasMessageContaining("schema 'public'").hasMessageContaining(refusal);
						assertThat(ex.action()).contains("grant create on schema public", "gator.schema",
								"gator.migrate=false");
					}));
		}
		finally {
			execute("drop owned by " + role + "; drop role " + role);
		}
	}

	private void startTwice(ApplicationContextRunner runner) {
		startTwice(runner, "public");
	}

	/**
	 * Start, run a job, stop, and the same again.
	 */
	private void startTwice(ApplicationContextRunner runner, String schema) {
		for (int start = 1; start <= 2; start++) {
			runner.run((context) -> {
				assertThat(context).hasNotFailed();
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				int before = count(schema + ".gator_job_history");
				jdbc.update(
						"insert into " + schema + ".gator_job (queue, name, args) values ('default', 'Hello', '[]')");
				await().until(() -> count(schema + ".gator_job_history where state = 'SUCCEEDED'") == before + 1);
			});
		}
	}

	private ApplicationContextRunner runner() {
		return Applications.on(this.database)
			.withConfiguration(
					AutoConfigurations.of(TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class))
			.withUserConfiguration(Hello.class)
			.withPropertyValues("gator.worker.poll-interval=50ms");
	}

	private ApplicationContextRunner flyway() {
		return runner().withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
			.withPropertyValues("spring.flyway.locations=classpath:migrations/flyway");
	}

	private ApplicationContextRunner liquibase() {
		return runner().withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
			.withPropertyValues("spring.liquibase.change-log=classpath:migrations/liquibase/changelog.sql");
	}

	@Test
	void aMigrationThatWaitsForAReaderLetsTheApplicationWrite() throws Exception {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		execute("alter table gator_queue drop column used_at");
		execute("delete from gator_schema_history where version = '4'");
		try (Connection reader = this.database.createDataSource().getConnection();
				Connection writer = this.database.createDataSource().getConnection()) {
			reader.setAutoCommit(false);
			reader.createStatement().execute("select * from gator_queue");
			CompletableFuture<Void> migration = CompletableFuture
				.runAsync(() -> new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet());
			await().until(() -> count("pg_stat_activity where datname = current_database() "
					+ "and wait_event_type = 'Lock' and query like '%used_at%'") > 0);
			writer.createStatement().execute("set lock_timeout = '10s'");
			writer.createStatement().execute("delete from gator_queue");
			assertThat(migration).isNotDone();
			reader.commit();
			migration.get(1, TimeUnit.MINUTES);
		}
		assertThat(count("gator_schema_history where version = '4' and success")).isEqualTo(1);
		assertThat(count("gator_queue where used_at is null")).isZero();
	}

	private ApplicationContextRunner hibernate(String ddl) {
		return runner().withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
			.withUserConfiguration(Entities.class)
			.withPropertyValues("spring.jpa.hibernate.ddl-auto=" + ddl);
	}

	private int count(String from) {
		return this.database.jdbc().sql("select count(*) from " + from).query(Integer.class).single();
	}

	private void execute(String sql) {
		this.database.jdbc().sql(sql).update();
	}

	@Job
	static class Hello {

		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = Customer.class)
	static class Entities {

	}

	@Entity(name = "customer")
	static class Customer {

		@Id
		private long id;

		long id() {
			return this.id;
		}

	}

}
