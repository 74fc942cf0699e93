package io.gator.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Reads a table by ranges of its disk pages, where no index can help: however large the
 * table is, each statement ends long before its time-out.
 */
final class TablePages {

	/**
	 * How many pages a statement reads: 32 MB, some seconds from the slowest of disks.
	 */
	static final int RANGE = 4_096;

	private final Db db;

	private final String count;

	TablePages(Db db, Sql sql, String table) {
		this.db = db;
		this.count = sql.of("""
				select pg_relation_size('{schema}.%s'::regclass) / current_setting('block_size')::bigint
				""".formatted(table));
	}

	/**
	 * How many pages the table has now.
	 * @return the number
	 */
	long count() {
		return this.db.run("measure a table", this.count, (statement) -> {
			return Db.one(statement, (row) -> row.getLong(1));
		});
	}

	/**
	 * Where to go on after a range.
	 * @param first the first page of the range
	 * @return the first page of the next one, 0 if the table has no more
	 */
	long after(long first) {
		long next = first + RANGE;
		return (next < count()) ? next : 0;
	}

	/**
	 * Set the two parameters that a statement compares with {@code ctid}.
	 * @param statement the statement
	 * @param index the first of them
	 * @param first the first page of the range
	 * @throws SQLException if the statement does not take them
	 */
	static void setRange(PreparedStatement statement, int index, long first) throws SQLException {
		statement.setString(index, "(" + first + ",0)");
		statement.setString(index + 1, "(" + (first + RANGE) + ",0)");
	}

}
