package io.gator.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a migration leaves on sessions that may be another's next, behind a pooler.
 */
@FreshDatabase
class ShortSearchPathTests {

	private final List<String> prepared = new CopyOnWriteArrayList<>();

	private final DatabaseHandle database;

	ShortSearchPathTests(DatabaseHandle database) {
		this.database = database;
	}

	@Test
	void aMigrationSetsTheSearchPathOfNoSession() {
		Migration.flyway(recording(this.database.hikari(2)), "elsewhere").migrate();
		assertThat(this.prepared).filteredOn((sql) -> sql.contains("'search_path'"))
			.isNotEmpty()
			.containsOnly("SELECT set_config('search_path', ?, true)");
	}

	private DataSource recording(DataSource target) {
		return new DelegatingDataSource(target) {

			@Override
			public Connection getConnection() throws SQLException {
				return recording(super.getConnection());
			}

		};
	}

	private Connection recording(Connection target) {
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, args) -> {
					if (method.getName().equals("prepareStatement")) {
						this.prepared.add((String) args[0]);
					}
					try {
						return method.invoke(target, args);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
