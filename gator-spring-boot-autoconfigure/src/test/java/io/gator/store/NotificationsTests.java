package io.gator.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * P7: how long the server keeps the session with the locks of a process that is cut off.
 */
@FreshDatabase
class NotificationsTests {

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

	private static List<String> patience(SingleConnectionDataSource dataSource) {
		JdbcClient jdbc = JdbcClient.create(dataSource);
		return List.of(jdbc.sql("show tcp_keepalives_idle").query(String.class).single(),
				jdbc.sql("show tcp_user_timeout").query(String.class).single());
	}

}
