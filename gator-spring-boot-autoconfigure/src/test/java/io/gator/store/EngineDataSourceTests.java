package io.gator.store;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.gator.test.BehindPooler;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.SoftAssertions.assertSoftly;
import static org.awaitility.Awaitility.await;

/**
 * P12: behind a pooler such as PgBouncer nothing of a session is counted on.
 */
@FreshDatabase
class EngineDataSourceTests {

	private final DatabaseHandle database;

	EngineDataSourceTests(DatabaseHandle database) {
		this.database = database;
		JobTable.empty(database);
	}

	@Test
	void behindAPoolerNoStatementIsPreparedOnASession() {
		try (EngineDataSource engine = derive(new BehindPooler(this.database.hikari(1)))) {
			assertThat(engine.isBehindPooler()).isTrue();
			assertThat(preparedBy(engine)).isEmpty();
		}
	}

	@Test
	void behindAPoolerNothingIsSetForASession() {
		try (EngineDataSource engine = derive(new BehindPooler(this.database.hikari(1)))) {
			assertThat(setting(engine, "statement_timeout")).isEqualTo("0");
			assertThat(setting(engine, "enable_seqscan")).isEqualTo("on");
		}
		try (EngineDataSource engine = derive(this.database.hikari(1))) {
			assertThat(setting(engine, "statement_timeout")).isEqualTo("10s");
			assertThat(setting(engine, "enable_seqscan")).isEqualTo("off");
		}
	}

	@Test
	void behindAPoolerSettingsGoWithEachStatementAndEndWithIt() {
		try (EngineDataSource engine = derive(new BehindPooler(this.database.hikari(1)))) {
			assertThat(settingsOfStatement(engine)).isEqualTo("off 10s");
			assertThat(db(engine).update("write", "insert into gator_queue (name) values ('one'), ('two')",
					(statement) -> {
					}))
				.isEqualTo(2);
			assertThat(setting(engine, "enable_sort")).isEqualTo("on");
			assertThat(setting(engine, "statement_timeout")).isEqualTo("0");
		}
	}

	@Test
	void behindAPoolerItIsSoWhateverTheUrlSaysAboutPreparedStatements() {
		for (String option : List.of("preferQueryMode=simple", "prepareThreshold=-1",
				"preferQueryMode=simple&ssl=false", "ssl=false&prepareThreshold=1")) {
			HikariDataSource application = applicationWith(option);
			try (application; EngineDataSource engine = derive(new BehindPooler(application))) {
				assertThat(preparedBy(engine)).isEmpty();
				assertThat(settingsOfStatement(engine)).isEqualTo("off 10s");
			}
		}
	}

	@Test
	void behindAPoolerNothingIsPreparedEitherWhereTheDriverIsGiven() {
		PGSimpleDataSource driver = new PGSimpleDataSource();
		driver.setUrl(this.database.url());
		HikariDataSource application = application();
		application.setDataSource(driver);
		try (application; EngineDataSource engine = derive(new BehindPooler(application))) {
			assertThat(preparedBy(engine)).isEmpty();
		}
	}

	@Test
	void noStatementOfTheEngineEndsForALockTimeoutOfTheDatabases() {
		String alter = "alter database " + this.database.name();
		this.database.jdbc().sql(alter + " set lock_timeout = '1ms'").update();
		try (EngineDataSource engine = derive(this.database.hikari(1))) {
			assertThat(setting(engine, "lock_timeout")).isEqualTo("0");
		}
		finally {
			this.database.jdbc().sql(alter + " reset lock_timeout").update();
		}
	}

	@Test
	void whatTheApplicationSetsFirstMayEndInAComment() {
		HikariDataSource application = application();
		application.setJdbcUrl(this.database.url());
		application.setConnectionInitSql("set work_mem = '5MB' -- for reports");
		try (application; EngineDataSource engine = derive(application)) {
			assertThat(setting(engine, "work_mem")).isEqualTo("5MB");
			assertThat(setting(engine, "statement_timeout")).isEqualTo("10s");
		}
	}

	@Test
	void theServerEndsStatementsBeforeTheDriverDoesWhateverTheUrlSays() throws SQLException {
		HikariDataSource application = applicationWith("socketTimeout=3");
		try (application; EngineDataSource engine = derive(application); Connection own = engine.getConnection()) {
			assertThat(own.getNetworkTimeout()).isEqualTo(15_000);
		}
	}

	@Test
	void theConnectionPropertiesOfADataSourceWithoutAPoolAreKept() {
		DriverManagerDataSource application = new DriverManagerDataSource(this.database.url(), this.database.username(),
				this.database.password());
		Properties properties = new Properties();
		properties.setProperty("options", "-c work_mem=12345kB");
		application.setConnectionProperties(properties);
		for (DataSource each : List.of(application, new LazyConnectionDataSourceProxy(application))) {
			try (EngineDataSource engine = derive(each)) {
				assertThat(setting(engine, "work_mem")).isEqualTo("12345kB");
			}
		}
	}

	@Test
	void behindAPoolerTheSessionsOfTheApplicationKeepTheirIsolation() {
		String alter = "alter database " + this.database.name();
		this.database.jdbc().sql(alter + " set default_transaction_isolation = 'repeatable read'").update();
		try (EngineDataSource shared = derive(new BehindPooler(this.database.hikari(1)));
				EngineDataSource own = derive(this.database.hikari(1))) {
			assertThat(setting(shared, "default_transaction_isolation")).isEqualTo("repeatable read");
			assertThat(setting(own, "default_transaction_isolation")).isEqualTo("read committed");
		}
		finally {
			this.database.jdbc().sql(alter + " reset default_transaction_isolation").update();
		}
	}

	@Test
	void nothingIsTakenForTrueOfAPoolerWhileTheDatabaseCannotBeAsked() {
		DataSource away = new DelegatingDataSource(this.database.hikari(1)) {
			@Override
			public Connection getConnection() throws SQLException {
				throw new SQLException("the pool is exhausted", "08001");
			}
		};
		for (DataSource each : List.of(away, new LazyConnectionDataSourceProxy(away))) {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> derive(each))
				.withMessageContaining("look for a connection pooler");
		}
	}

	@Test
	void aStatementOfTheEngineIsCommittedThoughTheApplicationCommitsByItself() {
		HikariDataSource application = application();
		application.setJdbcUrl(this.database.url());
		application.setAutoCommit(false);
		try (application; EngineDataSource engine = derive(application)) {
			db(engine).update("write", "insert into gator_queue (name) values ('committed')", (statement) -> {
			});
			assertThat(this.database.jdbc().sql("select name from gator_queue").query(String.class).list())
				.contains("committed");
		}
	}

	@Test
	void withoutAPoolerStatementsArePreparedOnce() {
		try (EngineDataSource engine = derive(this.database.hikari(1))) {
			assertThat(engine.isBehindPooler()).isFalse();
			assertThat(preparedBy(engine)).anyMatch((text) -> text.contains("reserved_by = $"));
		}
	}

	@Test
	void aStatementThatIsRefusedCostsNoSession() {
		try (EngineDataSource engine = derive(this.database.hikari(1))) {
			Db db = new Db(engine, Duration.ofSeconds(10));
			int session = session(db);
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> db.run("divide", "select 1 / 0", PreparedStatement::execute));
			assertThat(session(db)).isEqualTo(session);
		}
	}

	private static int session(Db db) {
		return db.run("ask", "select pg_backend_pid()", (statement) -> Db.one(statement, (row) -> row.getInt(1)));
	}

	@Test
	void newSessionsHaveTheCredentialsThatTheApplicationHasByThen() {
		String role = "rotated_of_" + this.database.name();
		HikariDataSource application = this.database.hikari(1);
		this.database.jdbc().sql("create role " + role + " login password 'rotated'").update();
		try (EngineDataSource engine = derive(application)) {
			assertThat(user(engine)).isEqualTo(this.database.username());
			application.setUsername(role);
			application.setPassword("rotated");
			engine.renew();
			await().until(() -> user(engine).equals(role));
		}
		finally {
			this.database.jdbc().sql("drop role " + role).update();
		}
	}

	@Test
	void aServerThatTakesTheEngineNoMoreIsKnownToBeThere() {
		String role = "thrown_out_of_" + this.database.name();
		this.database.jdbc().sql("create role " + role + " login password 'out'").update();
		HikariDataSource application = application();
		application.setJdbcUrl(this.database.url());
		application.setUsername(role);
		application.setPassword("out");
		try (application; EngineDataSource engine = derive(application)) {
			WorkerStore workers = GatorStores.open(engine, "public", Duration.ofSeconds(10), true).workers();
			assertThat(user(engine)).isEqualTo(role);
			assertThat(workers.isRefused()).isFalse();
			this.database.jdbc().sql("alter role " + role + " nologin").update();
			engine.renew();
			await().until(workers::isRefused);
		}
		finally {
			this.database.jdbc().sql("drop role " + role).update();
		}
	}

	@Test
	void metersOfTheApplicationsPoolAreItsOwn() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		HikariDataSource registry = this.database.hikari(1);
		registry.setMetricRegistry(meters);
		HikariDataSource factory = this.database.hikari(1);
		factory.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(meters));
		for (HikariDataSource application : List.of(registry, factory)) {
			try (EngineDataSource engine = derive(application)) {
				assertThat(user(engine)).isEqualTo(this.database.username());
				assertThat(user(application)).isEqualTo(this.database.username());
				assertThat(meters.find("hikaricp.connections").gauges())
					.extracting((gauge) -> gauge.getId().getTag("pool"))
					.contains(application.getPoolName())
					.doesNotContain("gator");
			}
		}
	}

	@Test
	void whatIsMeantForTheApplicationsPoolIsNotTakenOver() throws SQLException {
		HikariDataSource application = application();
		application.setJdbcUrl(this.database.url());
		application.setPoolName("application");
		application.setMaximumPoolSize(7);
		application.setMinimumIdle(7);
		application.setReadOnly(true);
		application.setConnectionTimeout(250);
		application.setLeakDetectionThreshold(2_000);
		application.setRegisterMbeans(true);
		try (application; EngineDataSource engine = EngineDataSource.derive(application, 3, Duration.ofSeconds(10))) {
			HikariDataSource pool = engine.unwrap(HikariDataSource.class);
			assertSoftly((softly) -> {
				softly.assertThat(pool.getPoolName()).isEqualTo("gator");
				softly.assertThat(pool.getMaximumPoolSize()).isEqualTo(3);
				softly.assertThat(pool.getMinimumIdle()).as("idle connections are given back").isOne();
				softly.assertThat(pool.isReadOnly()).isFalse();
				softly.assertThat(pool.getConnectionTimeout()).isEqualTo(5_000);
				softly.assertThat(pool.getLeakDetectionThreshold()).as("the listener keeps its connection").isZero();
				softly.assertThat(pool.isRegisterMbeans()).isFalse();
			});
		}
	}

	@Test
	void thePropertiesOfTheApplicationsConnectionsAreItsOwn() {
		HikariDataSource byUrl = application();
		byUrl.setJdbcUrl(this.database.url());
		HikariDataSource byClass = application();
		byClass.setDataSourceClassName(PGSimpleDataSource.class.getName());
		byClass.addDataSourceProperty("url", this.database.url());
		for (HikariDataSource application : List.of(byUrl, byClass)) {
			try (application) {
				Object before = application.getDataSourceProperties().clone();
				new Migration(application, "public", true).afterPropertiesSet();
				for (DataSource each : List.of(application, new BehindPooler(application))) {
					try (EngineDataSource engine = derive(each)) {
						assertThat(setting(engine, "application_name")).isEqualTo("gator");
						assertThat(setting(engine, "statement_timeout")).isEqualTo((each == application) ? "10s" : "0");
					}
				}
				assertThat(application.getDataSourceProperties()).isEqualTo(before);
			}
		}
	}

	@Test
	void aDataSourceThatIsNotTheDriversIsGivenWhatTheApplicationGivesIt() {
		try (HikariDataSource application = new HikariDataSource()) {
			application.setUsername(this.database.username());
			application.setPassword(this.database.password());
			application.setDataSourceClassName(Foreign.class.getName());
			application.addDataSourceProperty("address", this.database.url());
			try (EngineDataSource engine = derive(application)) {
				assertThat(setting(engine, "statement_timeout")).isEqualTo("10s");
			}
		}
	}

	@Test
	void aPoolBehindAWrapperThatIsNotSpringsIsFound() {
		HikariDataSource pool = this.database.hikari(1);
		DataSource wrapper = (DataSource) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "isWrapperFor" -> ((Class<?>) arguments[0]).isInstance(pool);
					case "unwrap" -> pool;
					default -> method.invoke(pool, arguments);
				});
		try (EngineDataSource engine = derive(wrapper)) {
			assertThat(user(engine)).isEqualTo(this.database.username());
		}
	}

	private HikariDataSource applicationWith(String options) {
		HikariDataSource application = application();
		application.setJdbcUrl(this.database.url(options));
		return application;
	}

	private HikariDataSource application() {
		HikariDataSource application = new HikariDataSource();
		application.setUsername(this.database.username());
		application.setPassword(this.database.password());
		application.setMaximumPoolSize(1);
		application.addDataSourceProperty("ApplicationName", "shop");
		return application;
	}

	private static String user(DataSource dataSource) {
		return JdbcClient.create(dataSource).sql("select current_user").query(String.class).single();
	}

	/** What a session has prepared after some claims. */
	private static List<String> preparedBy(EngineDataSource engine) {
		JobStore jobs = GatorStores.open(engine, "public", Duration.ofSeconds(10), true).jobs();
		for (int i = 0; i < 20; i++) {
			assertThat(jobs.claim(new ClaimRequest(1, java.util.Set.of("Work"), List.of(StoreTables.share("a", 1)), 1)))
				.isEmpty();
		}
		return JdbcClient.create(engine).sql("select statement from pg_prepared_statements").query(String.class).list();
	}

	private static String setting(EngineDataSource engine, String name) {
		return JdbcClient.create(engine).sql("select current_setting(?)").param(name).query(String.class).single();
	}

	private static String settingsOfStatement(EngineDataSource engine) {
		String sql = "select concat_ws(' ', current_setting('enable_sort'), current_setting('statement_timeout'))";
		return db(engine).run("look at settings", sql, (statement) -> Db.one(statement, (row) -> row.getString(1)));
	}

	private static Db db(EngineDataSource engine) {
		return new Db(engine, Duration.ofSeconds(10));
	}

	private static EngineDataSource derive(DataSource application) {
		return EngineDataSource.derive(application, 1, Duration.ofSeconds(10));
	}

	/** Knows none of the driver's properties. */
	public static final class Foreign extends DelegatingDataSource {

		public void setAddress(String address) {
			PGSimpleDataSource driver = new PGSimpleDataSource();
			driver.setUrl(address);
			setTargetDataSource(driver);
		}

	}

}
