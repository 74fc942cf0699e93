package io.gator.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The application's data source, with what else is known of where it leads: many pools do
 * not tell their URL or their password.
 */
public final class DescribedDataSource extends DelegatingDataSource {

	private final List<JdbcConnectionDetails> candidates;

	/**
	 * Create a data source.
	 * @param application the application's
	 * @param candidates details of connections, of this data source or of others
	 */
	public DescribedDataSource(DataSource application, List<JdbcConnectionDetails> candidates) {
		super(application);
		this.candidates = List.copyOf(candidates);
	}

	/**
	 * Find the details of this data source.
	 * @return those that lead to its database as its user, or {@code null}
	 * @throws StoreException if the database cannot be asked
	 */
	@Nullable JdbcConnectionDetails details() {
		if (this.candidates.isEmpty()) {
			return null;
		}
		try (Connection connection = getConnection()) {
			DatabaseMetaData own = connection.getMetaData();
			String url = own.getURL();
			String user = own.getUserName();
			return this.candidates.stream()
				.filter((details) -> place(details.getJdbcUrl()).equals(place(url)))
				.filter((details) -> details.getUsername() == null || details.getUsername().equals(user))
				.findFirst()
				.orElse(null);
		}
		catch (SQLException ex) {
			throw StoreException.of("ask where the data source leads", ex);
		}
	}

	/**
	 * The same for all URLs of one database: a pool may write it in another way, and add
	 * options.
	 */
	private static List<String> place(String url) {
		Properties parsed = Driver.parseURL(url, null);
		return (parsed == null) ? List.of(url)
				: Stream.of(PGProperty.PG_HOST, PGProperty.PG_PORT, PGProperty.PG_DBNAME)
					.map((part) -> Objects.toString(part.getOrDefault(parsed)))
					.toList();
	}

}
