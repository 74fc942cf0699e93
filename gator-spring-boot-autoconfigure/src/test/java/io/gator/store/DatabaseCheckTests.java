package io.gator.store;

import java.sql.ResultSet;
import java.sql.SQLException;

import javax.sql.DataSource;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;

@FreshDatabase
class DatabaseCheckTests {

	private final DatabaseHandle database;

	DatabaseCheckTests(DatabaseHandle database) {
		this.database = database;
	}

	@Test
	void aDatabaseThatIsNotInUtf8IsRefused() {
		assertThatNoException().isThrownBy(() -> start(this.database.createDataSource()));
		String name = this.database.name() + "_ascii";
		this.database.jdbc().sql("create database " + name + " template template0 encoding 'SQL_ASCII'").update();
		try {
			PGSimpleDataSource ascii = this.database.createDataSource();
			ascii.setDatabaseName(name);
			assertThatExceptionOfType(UnsuitableDatabaseException.class).isThrownBy(() -> start(ascii))
				.withMessageContaining("encoded in SQL_ASCII");
		}
		finally {
			this.database.jdbc().sql("drop database " + name + " with (force)").update();
		}
	}

	@Test
	void aDataSourceOfAnotherProductIsRefused() throws SQLException {
		DataSource other = mock(DataSource.class, RETURNS_DEEP_STUBS);
		given(other.getConnection().getMetaData().getDatabaseProductName()).willReturn("H2");
		assertThatExceptionOfType(UnsuitableDatabaseException.class).isThrownBy(() -> start(other))
			.withMessageContaining("The data source is H2");
	}

	@Test
	void aServerThatIsTooOldIsRefused() throws SQLException {
		DataSource old = mock(DataSource.class, RETURNS_DEEP_STUBS);
		given(old.getConnection().getMetaData().getDatabaseProductName()).willReturn("PostgreSQL");
		ResultSet version = mock(ResultSet.class);
		given(version.getInt(1)).willReturn(130_022);
		given(version.getString(2)).willReturn("13.22");
		given(old.getConnection().createStatement().executeQuery(anyString())).willReturn(version);
		assertThatExceptionOfType(UnsuitableDatabaseException.class).isThrownBy(() -> start(old))
			.withMessageContaining("PostgreSQL 13.22, but Gator needs 14 or later");
	}

	private static void start(DataSource dataSource) {
		new Migration(dataSource, "public", true).afterPropertiesSet();
	}

}
