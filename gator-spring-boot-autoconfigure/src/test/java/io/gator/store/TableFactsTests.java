package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What PostgreSQL's statistics tell of the table.
 */
@FreshDatabase
class TableFactsTests {

	@Test
	void rowsAndUpdatesAreCountedAndATableThatWasNeverVacuumedHasNoTimeOfIt(DatabaseHandle database)
			throws SQLException {
		InsightStore insight = new TestClock(database).stores().insight();
		// A session tells what it has done at its end at the latest.
		try (Connection session = database.createDataSource().getConnection();
				Statement statement = session.createStatement()) {
			statement.execute("insert into gator_job (queue, name, args) "
					+ "select 'a', 'Work', '[]' from generate_series(1, 10)");
			statement.execute("update gator_job set attempts = 1 where id <= 4");
			statement.execute("update gator_job set queue = 'b' where id = 5");
			statement.execute("delete from gator_job where id in (6, 7)");
		}
		long bytes = database.jdbc().sql("select pg_total_relation_size('gator_job')").query(Long.class).single();
		await().untilAsserted(
				() -> assertThat(insight.table()).isEqualTo(new TableFacts(8, 4 + 1 + 2, bytes, 5, 4, null, 0, 0)));
	}

}
