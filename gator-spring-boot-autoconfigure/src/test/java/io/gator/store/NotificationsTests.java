package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Answers.RETURNS_DEEP_STUBS;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * The contract of {@link Notifications}: one process hears what another one says of the
 * same schema, and the server keeps the session with its locks while it is cut off (P7).
 */
@FreshDatabase
class NotificationsTests {

	private final DatabaseHandle database;

	NotificationsTests(DatabaseHandle database) {
		this.database = database;
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 57, 58, 63 })
	void aProcessHearsOfItsSchemaAndOfNoOtherHoweverLongTheNameIs(int length) throws Exception {
		String start = "s".repeat(length - 1);
		JobStore same = stores(start + "a").jobs();
		JobStore other = stores(start + "b").jobs();
		try (Notifications.Session session = stores(start + "a").notifications().open()) {
			other.notifyWork(List.of("other"));
			same.notifyWork(List.of("default"));
			assertThat(session.await(Duration.ofSeconds(10))).containsExactly("default");
		}
	}

	@Test
	void theServerKeepsASilentSessionForSoLongAndItsConnectionGoesBackAsItWas(DatabaseHandle database)
			throws Exception {
		try (Connection connection = database.createDataSource().getConnection()) {
			SingleConnectionDataSource same = new SingleConnectionDataSource(connection, true);
			List<String> before = patience(same);
			Notifications notifications = GatorStores.open(same, "public", Duration.ofSeconds(10), true)
				.notifications();
			try (Notifications.Session session = notifications.open()) {
				session.outlast(Duration.ofMillis(29_500));
				assertThat(patience(same)).containsExactly("30", "30000");
				session.outlast(Duration.ofDays(30));
				assertThat(patience(same)).as("the most that Linux takes").containsExactly("32767", "32767000");
			}
			assertThat(patience(same)).isEqualTo(before);
		}
	}

	@Test
	void aProcessDoesNotHearItselfAndHearsNamesWithColons() throws Exception {
		GatorStores own = GatorStores.open(this.database.hikari(2), "own", Duration.ofSeconds(10), true);
		try (Notifications.Session session = own.notifications().open()) {
			own.jobs().notifyWork(List.of("own"));
			stores("own").jobs().notifyWork(List.of("a:b", "c"));
			List<String> heard = new ArrayList<>();
			// Its own one may come alone, and ends the wait as well.
			await().until(() -> {
				heard.addAll(session.await(Duration.ofSeconds(1)));
				return !heard.isEmpty();
			});
			assertThat(heard).containsExactly("a:b", "c");
		}
	}

	@Test
	void aChangeIsHeardByAllAndWhatSomebodyElseSaysOnTheChannelByNone() throws Exception {
		try (Notifications.Session session = stores("shared").notifications().open();
				Connection stranger = this.database.createDataSource().getConnection();
				Statement statement = stranger.createStatement()) {
			statement.execute("select pg_notify('gator_shared', 'hello')");
			stores("shared").admin().notifyChange();
			List<String> heard = new ArrayList<>();
			await().until(() -> {
				heard.addAll(session.await(Duration.ofSeconds(1)));
				return heard.contains(Notifications.CHANGE);
			});
			assertThat(heard).containsExactly(Notifications.CHANGE);
		}
	}

	@Test
	void ofMoreQueuesThanANotificationHoldsItIsSaidThatThereMayBeWorkAnywhere() throws Exception {
		List<String> many = IntStream.range(0, 100).mapToObj((number) -> number + "q".repeat(100)).toList();
		try (Notifications.Session session = stores("many").notifications().open()) {
			stores("many").jobs().notifyWork(many);
			assertThat(session.await(Duration.ofSeconds(10))).containsExactly(Notifications.ANYWHERE);
		}
	}

	@Test
	void aPoolIsMarkedAsLockedWhileASessionHasItsLockAndByNoOther() throws Exception {
		StoreTables tables = new StoreTables(this.database);
		tables.clear();
		long pool = tables.pool();
		try (Connection connection = this.database.createDataSource().getConnection()) {
			SingleConnectionDataSource same = new SingleConnectionDataSource(connection, true);
			Notifications notifications = GatorStores.open(same, "public", Duration.ofSeconds(10), true)
				.notifications();
			try (Notifications.Session first = notifications.open()) {
				assertThat(first.lock(pool)).isTrue();
				assertThat(tables.only("gator_worker")).containsEntry("locked", true);
				try (Notifications.Session second = tables.stores().notifications().open()) {
					assertThat(second.lock(pool)).isFalse();
					assertThat(tables.only("gator_worker")).as("its lock says nothing of this process")
						.containsEntry("locked", false);
				}
			}
			try (Notifications.Session next = tables.stores().notifications().open()) {
				assertThat(next.lock(pool)).as("a connection that went back to its pool holds nothing").isTrue();
			}
		}
	}

	@Test
	void poolsOfTwoSchemasHaveLocksOfTheirOwnThoughTheirIdentitiesAreEqual() throws Exception {
		for (String schema : List.of("one", "two")) {
			new Migration(this.database.createDataSource(), schema, true).afterPropertiesSet();
		}
		try (Notifications.Session one = stores("one").notifications().open();
				Notifications.Session two = stores("two").notifications().open()) {
			assertThat(one.lock(1)).isTrue();
			assertThat(two.lock(1)).isTrue();
		}
	}

	@Test
	void aSessionThatIsClosedGivesItsConnectionBackEvenIfItIsBroken() throws Exception {
		HikariDataSource pool = this.database.hikari(1);
		Notifications notifications = GatorStores.open(pool, "public", Duration.ofSeconds(10), true).notifications();
		notifications.open().close();
		try (Notifications.Session session = notifications.open()) {
			assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isOne();
			this.database.jdbc()
				.sql("select pg_terminate_backend(pid) from pg_stat_activity "
						+ "where query ilike 'listen%' and datname = current_database()")
				.query()
				.listOfRows();
			assertThatExceptionOfType(StoreException.class).isThrownBy(session::check);
		}
		assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
	}

	@Test
	void whereNoSessionCanListenItsConnectionIsClosed() throws Exception {
		DataSource dataSource = mock(DataSource.class);
		Connection connection = mock(Connection.class, RETURNS_DEEP_STUBS);
		PGConnection postgres = mock(PGConnection.class);
		given(dataSource.getConnection()).willReturn(connection);
		given(connection.unwrap(PGConnection.class)).willReturn(postgres);
		given(connection.createStatement().executeQuery("select pg_backend_pid()").getInt(1)).willReturn(5);
		given(postgres.getBackendPID()).willReturn(6);
		Notifications notifications = GatorStores.open(dataSource, "public", Duration.ofSeconds(10), true)
			.notifications();
		assertThatExceptionOfType(Notifications.PooledException.class).isThrownBy(notifications::open);
		verify(connection).close();
		given(postgres.getBackendPID()).willReturn(5);
		given(connection.createStatement().execute(anyString())).willThrow(new SQLException("broken", "08006"));
		assertThatExceptionOfType(StoreException.class).isThrownBy(notifications::open);
		verify(connection, times(2)).close();
	}

	private GatorStores stores(String schema) {
		return GatorStores.open(this.database.hikari(1), schema, Duration.ofSeconds(10), true);
	}

	private static List<String> patience(SingleConnectionDataSource dataSource) {
		JdbcClient jdbc = JdbcClient.create(dataSource);
		return List.of(jdbc.sql("show tcp_keepalives_idle").query(String.class).single(),
				jdbc.sql("show tcp_user_timeout").query(String.class).single());
	}

}
