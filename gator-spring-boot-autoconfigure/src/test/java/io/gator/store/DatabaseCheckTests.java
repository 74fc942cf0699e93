package io.gator.store;

import java.sql.SQLException;

import javax.sql.DataSource;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
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
		assertThatNoException().isThrownBy(() -> DatabaseCheck.requireServer(this.database.createDataSource()));
		String name = this.database.name() + "_ascii";
		this.database.jdbc().sql("create database " + name + " template template0 encoding 'SQL_ASCII'").update();
		try {
			PGSimpleDataSource ascii = this.database.createDataSource();
			ascii.setDatabaseName(name);
			assertThatExceptionOfType(UnsuitableDatabaseException.class)
				.isThrownBy(() -> DatabaseCheck.requireServer(ascii))
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
		assertThatExceptionOfType(UnsuitableDatabaseException.class)
			.isThrownBy(() -> DatabaseCheck.requireServer(other))
			.withMessageContaining("The data source is H2");
	}

}
