package io.gator.store;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.RoutingDataSource;
import io.gator.test.SilentDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@FreshDatabase
class DescribedDataSourceTests {

	private final DatabaseHandle database;

	private final SilentDataSource silent;

	DescribedDataSourceTests(DatabaseHandle database) {
		this.database = database;
		this.silent = SilentDataSource.of(database);
	}

	@Test
	void whatAPoolDoesNotTellTheDetailsOfItsConnectionsDo() {
		Details details = details(this.database.url(), this.database.username());
		for (DataSource each : List.of(this.silent, new LazyConnectionDataSourceProxy(this.silent))) {
			try (EngineDataSource engine = derive(each, details)) {
				assertThat(value(engine, "select current_database()")).isEqualTo(this.database.name());
				assertThat(value(engine, "select current_user")).isEqualTo(this.database.username());
				assertThat(value(engine, "show application_name")).isEqualTo("gator");
			}
		}
	}

	@Test
	void theDetailsMayWriteTheUrlInAnotherWay() {
		String url = "jdbc:postgresql://" + this.database.host() + ":" + this.database.port() + "/"
				+ this.database.name();
		for (String each : List.of(url, url + "?loginTimeout=7")) {
			try (EngineDataSource engine = derive(this.silent, details(each, this.database.username()))) {
				assertThat(value(engine, "select current_database()")).isEqualTo(this.database.name());
			}
		}
	}

	@Test
	void theUserMayBeNamedInTheUrl() {
		String url = this.database.url("user=" + this.database.username());
		try (EngineDataSource engine = derive(this.silent, details(url, null))) {
			assertThat(value(engine, "select current_user")).isEqualTo(this.database.username());
		}
	}

	@Test
	void detailsOfOtherDatabasesAreNotTaken() {
		String url = "jdbc:postgresql://" + this.database.host() + ":" + this.database.port() + "/";
		Details database = details(url + "postgres", this.database.username());
		Details host = details("jdbc:postgresql://127.0.0.2:" + this.database.port() + "/" + this.database.name(),
				this.database.username());
		Details port = details("jdbc:postgresql://" + this.database.host() + ":1/" + this.database.name(),
				this.database.username());
		Details vendor = details("jdbc:h2:mem:" + this.database.name(), this.database.username());
		Details user = details(this.database.url(), "somebody_else");
		assertThatExceptionOfType(UnsuitableDatabaseException.class)
			.isThrownBy(() -> derive(this.silent, database, host, port, vendor, user))
			.withMessageContaining("the data source " + SilentDataSource.class.getName());
		Details own = details(this.database.url(), this.database.username());
		try (EngineDataSource engine = derive(this.silent, database, host, port, vendor, user, own)) {
			assertThat(value(engine, "select current_database()")).isEqualTo(this.database.name());
			assertThat(value(engine, "select current_user")).isEqualTo(this.database.username());
		}
	}

	@Test
	void detailsOfOneOfSeveralDatabasesAreNotTaken() {
		RoutingDataSource routing = new RoutingDataSource(this.silent);
		assertThatExceptionOfType(UnsuitableDatabaseException.class)
			.isThrownBy(() -> derive(routing, details(this.database.url(), this.database.username())))
			.withMessageContaining("several databases");
	}

	@Test
	void newSessionsHaveTheCredentialsThatTheDetailsTellByThen() {
		String role = "rotated_of_" + this.database.name();
		this.database.jdbc().sql("create role " + role + " login password 'rotated'").update();
		Details details = details(this.database.url(), this.database.username());
		try (EngineDataSource engine = derive(this.silent, details)) {
			assertThat(value(engine, "select current_user")).isEqualTo(this.database.username());
			details.username = role;
			details.password = "rotated";
			engine.renew();
			await().until(() -> value(engine, "select current_user").equals(role));
		}
		finally {
			this.database.jdbc().sql("drop role " + role).update();
		}
	}

	private static EngineDataSource derive(DataSource application, JdbcConnectionDetails... details) {
		return EngineDataSource.derive(new DescribedDataSource(application, Arrays.asList(details)), 1,
				Duration.ofSeconds(10));
	}

	private Details details(String url, @Nullable String username) {
		return new Details(url, username, this.database.password());
	}

	private static String value(DataSource dataSource, String sql) {
		return JdbcClient.create(dataSource).sql(sql).query(String.class).single();
	}

	private static final class Details implements JdbcConnectionDetails {

		private final String url;

		private volatile @Nullable String username;

		private volatile String password;

		Details(String url, @Nullable String username, String password) {
			this.url = url;
			this.username = username;
			this.password = password;
		}

		@Override
		public @Nullable String getUsername() {
			return this.username;
		}

		@Override
		public String getPassword() {
			return this.password;
		}

		@Override
		public String getJdbcUrl() {
			return this.url;
		}

	}

}
