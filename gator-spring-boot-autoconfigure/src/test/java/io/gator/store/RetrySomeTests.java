package io.gator.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import javax.sql.DataSource;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of {@link AdminStore#retrySome} and {@link AdminStore#retry}.
 */
@FreshDatabase
class RetrySomeTests {

	private final DatabaseHandle database;

	RetrySomeTests(DatabaseHandle database) {
		this.database = database;
		JobTable.empty(database);
	}

	@Test
	void aKeyThatSomebodyIsJustDispatchingHoldsUpNoOtherJob() throws Exception {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, unique_key)
				select n, 'default', 'Work', '[]', 1, 1, now(), case when n = 102 then 'key' end
				  from generate_series(101, 103) n
				""").update();
		AdminStore admin = admin(impatient());
		JobQuery all = JobQuery.of(JobState.DEAD);
		try (Connection dispatch = this.database.createDataSource().getConnection()) {
			dispatch.setAutoCommit(false);
			dispatch.createStatement()
				.execute(
						"insert into gator_job (queue, name, args, unique_key) values ('default', 'Work', '[]', 'key')");
			assertThat(admin.retrySome(all)).containsExactlyInAnyOrder(new AdminStore.Retried(101, "default"),
					new AdminStore.Retried(102, null), new AdminStore.Retried(103, "default"));
			dispatch.commit();
		}
		assertThat(admin.retrySome(all)).containsExactly(new AdminStore.Retried(102, "default"));
		assertThat(admin.retrySome(all)).isEmpty();
	}

	@Test
	void threeKeysAreWaitedForAndNotFour() throws Exception {
		AdminStore admin = admin(impatient());
		try (Connection dispatch = this.database.createDataSource().getConnection()) {
			dispatch.setAutoCommit(false);
			dispatch.createStatement().execute("""
					insert into gator_job (queue, name, args, unique_key)
					select 'default', 'Work', '[]', 'key ' || n from generate_series(501, 504) n
					""");
			dead(501, 503);
			assertThat(admin.retrySome(JobQuery.of(JobState.DEAD))).extracting(AdminStore.Retried::queue)
				.containsExactly(null, null, null);
			dead(504, 504);
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> admin.retrySome(JobQuery.of(JobState.DEAD)));
		}
	}

	private void dead(int first, int last) {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, unique_key)
				select n, 'default', 'Work', '[]', 1, 1, now(), 'key ' || n from generate_series(?, ?) n
				""").params(first, last).update();
	}

	@Test
	void aRowAtTheLimitsOfItsColumnsKeepsNoOtherFromBeingRetried() {
		this.database.jdbc()
			.sql("""
					insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
					select n, 'default', 'Work', '[]', 1000000001, 4000000000000000001, now() from generate_series(401, 402) n
					""")
			.update();
		AdminStore admin = admin(this.database.hikari(1));
		assertThat(admin.retrySome(JobQuery.of(JobState.DEAD))).hasSize(2);
	}

	@Test
	void aJobLivesWithoutTheKeyThatIsTakenWhileItIsRetried() throws Exception {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, unique_key)
				values (301, 'default', 'Work', '[]', 1, 1, now(), 'taken')
				""").update();
		AdminStore admin = admin(this.database.hikari(1));
		assertThat(this.database.overtaken(
				"insert into gator_job (queue, name, args, unique_key) values ('default', 'Work', '[]', 'taken')",
				() -> admin.retry(301)))
			.contains("default");
		assertThat(this.database.jdbc()
			.sql("select count(*) from gator_job where id = 301 and unique_key is null")
			.query(Integer.class)
			.single()).isOne();
	}

	@Test
	void whatTheJobsWereGivenIsNotReadToRetryThemOneByOne() throws Exception {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, unique_key)
				values (201, 'default', 'Work', '[]', 1, 1, now(), 'held')
				""").update();
		Set<String> read = new HashSet<>();
		DataSource engine = new DelegatingDataSource(impatient()) {

			@Override
			public Connection getConnection() throws SQLException {
				return noting(Connection.class, super.getConnection(), read);
			}

		};
		AdminStore admin = admin(engine);
		try (Connection dispatch = this.database.createDataSource().getConnection()) {
			dispatch.setAutoCommit(false);
			dispatch.createStatement()
				.execute(
						"insert into gator_job (queue, name, args, unique_key) values ('default', 'Work', '[]', 'held')");
			assertThat(admin.retrySome(JobQuery.of(JobState.DEAD))).containsExactly(new AdminStore.Retried(201, null));
		}
		assertThat(read).contains("unique_key").doesNotContain("args", "error_details", "metadata");
	}

	private static AdminStore admin(DataSource dataSource) {
		return GatorStores.open(dataSource, "public", Duration.ofSeconds(30), true).admin();
	}

	/** One whose statements wait for locks, and for nothing else, no longer than this. */
	private DataSource impatient() {
		return this.database.createDataSource("lock_timeout=1s");
	}

	/** Notes the columns of all that is read on a connection. */
	private static <T> T noting(Class<T> type, T target, Set<String> read) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				Object result;
				try {
					result = method.invoke(target, args);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
				if (result instanceof ResultSet rows) {
					ResultSetMetaData columns = rows.getMetaData();
					for (int i = 1; i <= columns.getColumnCount(); i++) {
						read.add(columns.getColumnLabel(i));
					}
				}
				return (result instanceof PreparedStatement statement)
						? noting(PreparedStatement.class, statement, read) : result;
			}));
	}

}
