package io.gator.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

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

	private GatorStores stores(String schema) {
		return GatorStores.open(this.database.hikari(1), schema, Duration.ofSeconds(10), true);
	}

	private static List<String> patience(SingleConnectionDataSource dataSource) {
		JdbcClient jdbc = JdbcClient.create(dataSource);
		return List.of(jdbc.sql("show tcp_keepalives_idle").query(String.class).single(),
				jdbc.sql("show tcp_user_timeout").query(String.class).single());
	}

}
