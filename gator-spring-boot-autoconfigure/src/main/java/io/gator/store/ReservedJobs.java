package io.gator.store;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds which pools hold which jobs. No index may name {@code reserved_by}, or every
 * claim would have to touch it, so this reads the table.
 * <p>
 * A row that moves to a page which was read already is missed. A reserved row moves only
 * if somebody asks to cancel its job at that moment. The next look finds the row; if its
 * pool is forgotten by then, the look for orphans does.
 */
final class ReservedJobs {

	private final Db db;

	private final TablePages pages;

	private final ReservedSql sql;

	ReservedJobs(Db db, Sql sql) {
		this.db = db;
		this.pages = new TablePages(db, sql, "gator_job");
		this.sql = new ReservedSql(sql);
	}

	/**
	 * How many pages the table has now.
	 * @return the number
	 */
	long pages() {
		return this.pages.count();
	}

	/**
	 * Where to go on after a range.
	 * @param first the first page of the range
	 * @return the first page of the next one, 0 if there is none
	 */
	long after(long first) {
		return this.pages.after(first);
	}

	/**
	 * The jobs that some pools have reserved, in one range of disk pages. Locks nothing,
	 * so a statement that changes the jobs must check them again.
	 * @param workers the identities of these pools
	 * @param first the first page of the range
	 * @return their ids, in no particular order
	 */
	List<Long> heldBy(Collection<Long> workers, long first) {
		return this.db.run("look for reserved jobs", this.sql.heldBy, (statement) -> {
			TablePages.setRange(statement, 1, first);
			statement.setArray(3, Db.longs(statement, workers));
			return Db.ids(statement);
		});
	}

	/**
	 * The identities that hold jobs but have no row any more.
	 * @return their ids
	 */
	Set<Long> forgottenHolders() {
		Set<Long> workers = new HashSet<>();
		for (long first = 0, end = pages(); first < end; first += TablePages.RANGE) {
			long from = first;
			workers.addAll(this.db.run("look for jobs of forgotten pools", this.sql.forgottenHolders, (statement) -> {
				TablePages.setRange(statement, 1, from);
				return Db.ids(statement);
			}));
		}
		return workers;
	}

}
