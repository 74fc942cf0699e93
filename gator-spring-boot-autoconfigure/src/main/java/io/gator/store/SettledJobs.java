package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The part of {@link PostgresJobStore} that ends attempts and releases what was claimed.
 */
final class SettledJobs {

	private static final int RELEASED_AT_ONCE = 5_000;

	private final Db db;

	private final SettleSql sql;

	private final ReservedJobs reserved;

	private final boolean history;

	/** As it is written in a transaction of the application's. */
	private final String successWithin;

	private final String chainedSuccessWithin;

	SettledJobs(Db db, Sql sql, boolean history) {
		this.db = db;
		this.sql = new SettleSql(sql);
		this.reserved = new ReservedJobs(db, sql);
		this.history = history;
		this.successWithin = EngineSettings.around(success(false));
		this.chainedSuccessWithin = EngineSettings.around(success(true));
	}

	<S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch) {
		// In the order of the ids, like every statement that writes more than one row: of
		// two that meet, one then waits for the other, and they do not end in a deadlock.
		List<S> ordered = new ArrayList<>(batch);
		ordered.sort(Comparator.comparingLong(Settlement::id).thenComparingLong(Settlement::lease));
		if (kind == Settlement.Succeeded.class) {
			return succeed(cast(ordered));
		}
		if (kind == Settlement.Requeued.class) {
			return requeue(cast(ordered));
		}
		if (kind == Settlement.Died.class) {
			return bury(cast(ordered));
		}
		return cancel(cast(ordered));
	}

	@SuppressWarnings("unchecked")
	private static <S extends Settlement> List<S> cast(List<? extends Settlement> batch) {
		return (List<S>) batch;
	}

	private Set<Long> succeed(List<Settlement.Succeeded> batch) {
		boolean chained = batch.stream().anyMatch((success) -> success.next() != null);
		return this.db.run("settle jobs", success(chained), (statement) -> {
			successes(statement, batch, chained);
			return lost(statement);
		});
	}

	boolean settle(Connection connection, Settlement.Succeeded success) throws SQLException {
		boolean chained = success.next() != null;
		try (PreparedStatement statement = StatementWithSettings.prepare(connection,
				chained ? this.chainedSuccessWithin : this.successWithin)) {
			successes(statement, List.of(success), chained);
			return lost(statement).isEmpty();
		}
	}

	private String success(boolean chained) {
		return chained ? this.sql.succeedInChain : this.history ? this.sql.succeed : this.sql.succeedWithoutHistory;
	}

	private void successes(PreparedStatement statement, List<Settlement.Succeeded> batch, boolean chained)
			throws SQLException {
		idsAndLeases(statement, batch);
		if (chained || this.history) {
			Db.setTexts(statement, 3, batch, Settlement.Succeeded::result);
		}
		if (chained) {
			nextJobs(statement, 4, batch);
			statement.setBoolean(9, this.history);
		}
	}

	private Set<Long> requeue(List<Settlement.Requeued> batch) {
		return this.db.run("settle jobs", this.sql.requeue, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setDoubles(statement, 3, batch, (back) -> Db.seconds(back.delay()));
			Db.setTexts(statement, 4, batch, Settlement.Requeued::queue);
			Db.setTexts(statement, 5, batch, Settlement.Requeued::error);
			Db.setInts(statement, 6, batch, (back) -> back.charged() ? 0 : 1);
			Db.setInts(statement, 7, batch, (back) -> (back.batchLimit() > 0) ? back.batchLimit() : null);
			return lost(statement);
		});
	}

	private Set<Long> bury(List<Settlement.Died> batch) {
		return this.db.run("settle jobs", this.sql.bury, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setTexts(statement, 3, batch, Settlement.Died::error);
			Db.setInts(statement, 4, batch, (dead) -> dead.charged() ? 0 : 1);
			nextJobs(statement, 5, batch);
			return lost(statement);
		});
	}

	private Set<Long> cancel(List<Settlement.Cancelled> batch) {
		return this.db.run("settle jobs", this.sql.cancel, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setTexts(statement, 3, batch, Settlement.Cancelled::reason);
			return lost(statement);
		});
	}

	private static void idsAndLeases(PreparedStatement statement, List<? extends Settlement> batch)
			throws SQLException {
		Db.setLongs(statement, 1, batch, Settlement::id);
		Db.setLongs(statement, 2, batch, Settlement::lease);
	}

	private static void nextJobs(PreparedStatement statement, int index, List<? extends Settlement> batch)
			throws SQLException {
		eachNext(statement, index, batch, Settlement.NextJob::queue);
		eachNext(statement, index + 1, batch, Settlement.NextJob::name);
		eachNext(statement, index + 2, batch, Settlement.NextJob::args);
		eachNext(statement, index + 3, batch, Settlement.NextJob::batchKey);
		eachNext(statement, index + 4, batch, Settlement.NextJob::metadata);
	}

	private static void eachNext(PreparedStatement statement, int index, List<? extends Settlement> batch,
			Function<Settlement.NextJob, @Nullable String> value) throws SQLException {
		Db.setTexts(statement, index, batch, (settlement) -> {
			Settlement.NextJob next = settlement.next();
			return (next != null) ? value.apply(next) : null;
		});
	}

	private static Set<Long> lost(PreparedStatement statement) throws SQLException {
		return Set.copyOf(Db.ids(statement));
	}

	Set<Long> locked(Collection<Long> ids) {
		return among(ids, "look for jobs that others hold", this.sql.locked);
	}

	Set<Long> live(Collection<Long> ids) {
		return among(ids, "look for jobs that are not over", this.sql.live);
	}

	private Set<Long> among(Collection<Long> ids, String what, String text) {
		return this.db.run(what, text, (statement) -> {
			statement.setArray(1, Db.longs(statement, ids));
			return Set.copyOf(Db.ids(statement));
		});
	}

	Set<Long> regroup(List<JobStore.Regrouped> items) {
		return this.db.run("regroup batches", this.sql.regroup, (statement) -> {
			Db.setLongs(statement, 1, items, JobStore.Regrouped::id);
			Db.setLongs(statement, 2, items, JobStore.Regrouped::lease);
			Db.setTexts(statement, 3, items, JobStore.Regrouped::batchKey);
			return new HashSet<>(Db.ids(statement));
		});
	}

	JobStore.SearchStep releaseLost(long worker, Collection<Long> known, long page) {
		List<Long> lost = this.reserved.heldBy(List.of(worker), page);
		lost.removeAll(Set.copyOf(known));
		int released = 0;
		for (int from = 0; from < lost.size(); from += RELEASED_AT_ONCE) {
			List<Long> chunk = lost.subList(from, Math.min(lost.size(), from + RELEASED_AT_ONCE));
			released += this.db.update("release lost jobs", this.sql.releaseLost, (statement) -> {
				statement.setArray(1, Db.longs(statement, chunk));
				statement.setLong(2, worker);
			});
		}
		return new JobStore.SearchStep(released, lost.size() - released, this.reserved.after(page));
	}

}
