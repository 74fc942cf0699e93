package io.gator.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Takes what a connection needs and tells nobody, as the pools of DBCP 2 and Agroal do.
 */
public final class SilentDataSource extends AbstractDataSource {

	private String url = "";

	private @Nullable String username;

	private @Nullable String password;

	/**
	 * Lead to a database.
	 * @param database the database
	 * @return a new data source
	 */
	public static SilentDataSource of(DatabaseHandle database) {
		SilentDataSource silent = new SilentDataSource();
		silent.setUrl(database.url());
		silent.setUsername(database.username());
		silent.setPassword(database.password());
		return silent;
	}

	public void setUrl(String url) {
		this.url = url;
	}

	public void setUsername(String username) {
		this.username = username;
	}

	public void setPassword(String password) {
		this.password = password;
	}

	@Override
	public Connection getConnection() throws SQLException {
		return DriverManager.getConnection(this.url, this.username, this.password);
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		return DriverManager.getConnection(this.url, username, password);
	}

}
