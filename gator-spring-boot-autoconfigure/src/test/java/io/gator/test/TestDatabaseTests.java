package io.gator.test;

import javax.sql.DataSource;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@FreshDatabase
class TestDatabaseTests {

	private final DatabaseHandle database;

	TestDatabaseTests(DatabaseHandle database) {
		this.database = database;
	}

	@Test
	void theServerIsASupportedPostgresInUtf8() {
		JdbcClient jdbc = this.database.jdbc();
		assertThat(jdbc.sql("select current_setting('server_version_num')::int").query(Integer.class).single())
			.isGreaterThanOrEqualTo(140000);
		assertThat(jdbc.sql("show server_encoding").query(String.class).single()).isEqualTo("UTF8");
		assertThat(jdbc.sql("show synchronous_commit").query(String.class).single()).isEqualTo("on");
		assertThat(jdbc.sql("show max_connections").query(String.class).single()).isEqualTo("300");
		assertThat(TestDatabase.description()).startsWith("PostgreSQL ");
	}

	@Test
	void twoDatabasesDoNotSeeEachOther() {
		try (DatabaseHandle one = TestDatabase.create(); DatabaseHandle two = TestDatabase.create()) {
			one.jdbc().sql("create table only_here (id int)").update();
			assertThat(existsIn(one.hikari(2))).isTrue();
			assertThat(existsIn(two.createDataSource())).isFalse();
		}
	}

	@Test
	void closingDropsTheDatabaseAndItsPools() throws Exception {
		DatabaseHandle closed = TestDatabase.create();
		DataSource pool = closed.hikari();
		pool.getConnection().close();
		try (var left = closed.createDataSource().getConnection()) {
			closed.close();
			assertThat(left.isValid(1)).isFalse();
		}
		assertThatException().isThrownBy(pool::getConnection);
		assertThat(this.database.jdbc()
			.sql("select count(*) from pg_database where datname = ?")
			.param(closed.name())
			.query(Integer.class)
			.single()).isZero();
	}

	@Test
	void aClassHasOneDatabase(DatabaseHandle parameter) {
		assertThat(parameter).isSameAs(this.database);
	}

	private static boolean existsIn(DataSource dataSource) {
		return JdbcClient.create(dataSource)
			.sql("select to_regclass('only_here') is not null")
			.query(Boolean.class)
			.single();
	}

	@Nested
	class InsideTheClass {

		@Test
		void aNestedClassSharesTheDatabaseOfItsClass(DatabaseHandle parameter) {
			assertThat(parameter).isSameAs(TestDatabaseTests.this.database);
		}

	}

}
