package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.gator.store.JobStore;
import io.gator.store.Settlement;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes outcomes, whatever it takes: again and again while the database is away, in
 * halves, without their texts, as dead. Sets aside what cannot be written for now. Used
 * by the thread that settles; any thread may ask for the trouble.
 */
final class OutcomeWriter {

	private static final Logger logger = LoggerFactory.getLogger(OutcomeWriter.class);

	private static final String UNWRITABLE = "(what came of it cannot be written)";

	private final String pool;

	private final JobStore store;

	private final WorkerMetrics metrics;

	private final Sleeper sleeper;

	private final BooleanSupplier givenUp;

	private final Listener listener;

	private final Backoff backoff;

	private final SetAside<Outcome> aside = new SetAside<>();

	private final OnceAMinute warnings = new OnceAMinute();

	/** Whether outcomes are tried again about which everything has been logged. */
	private boolean retrying;

	/** Since when outcomes are set aside and none is written. */
	private volatile @Nullable Long stuckSince;

	/**
	 * Create a writer.
	 * @param pool the pool's name
	 * @param store where to write
	 * @param metrics told what was written
	 * @param sleeper ends a pause after a failure
	 * @param givenUp whether to stop trying
	 * @param listener told what was written
	 */
	OutcomeWriter(String pool, JobStore store, WorkerMetrics metrics, Sleeper sleeper, BooleanSupplier givenUp,
			Listener listener) {
		this.pool = pool;
		this.store = store;
		this.metrics = metrics;
		this.sleeper = sleeper;
		this.givenUp = givenUp;
		this.listener = listener;
		this.backoff = new Backoff(logger, "Settling of pool " + pool);
	}

	/**
	 * What keeps it from writing.
	 * @return the trouble, or {@code null}
	 */
	PoolStatus.@Nullable Trouble trouble(long now) {
		Long since = this.stuckSince;
		PoolStatus.Trouble stuck = (since != null)
				? new PoolStatus.Trouble(Duration.ofNanos(Math.max(0, now - since)), true) : null;
		return PoolStatus.Trouble.worse(this.backoff.trouble(now), stuck);
	}

	/**
	 * How many outcomes are set aside.
	 * @return the number
	 */
	int kept() {
		return this.aside.size();
	}

	/**
	 * How long until those that are set aside are to be tried again.
	 * @param last whether the pool ends
	 * @return nanoseconds; {@link Long#MAX_VALUE} if there are none
	 */
	long untilRetry(long now, boolean last) {
		return this.aside.untilDue(now, last);
	}

	/**
	 * Write what was set aside, but for the rows that somebody still holds.
	 */
	void retry() {
		List<Outcome> again = this.aside.take();
		Rows rows;
		try {
			rows = rows(again);
		}
		catch (Throwable ex) {
			rows = new Rows(again, List.of());
			pause(ex);
		}
		rows.locked().forEach(this::setAside);
		this.retrying = true;
		try {
			write(rows.free());
		}
		finally {
			this.retrying = false;
			this.aside.tried();
		}
	}

	/**
	 * Write outcomes of any kind, as far as possible before the writer is to stop.
	 * @param batch the outcomes
	 */
	void write(List<Outcome> batch) {
		Collection<List<Outcome>> kinds = null;
		while (kinds == null) {
			try {
				kinds = byKind(batch);
			}
			catch (Throwable ex) {
				// There is no memory left. What was taken from the queue must not get
				// lost.
				pause(ex);
				if (this.givenUp.getAsBoolean()) {
					return;
				}
			}
		}
		kinds.forEach((alike) -> writeAlike(alike, false));
		// An outcome that was set aside is neither a success nor a failure of the try.
		this.backoff.ends();
	}

	private static Collection<List<Outcome>> byKind(List<Outcome> batch) {
		Map<Class<? extends Settlement>, List<Outcome>> kinds = new LinkedHashMap<>();
		for (Outcome outcome : batch) {
			kinds.computeIfAbsent(outcome.settlement().getClass(), (kind) -> new ArrayList<>()).add(outcome);
		}
		return kinds.values();
	}

	/**
	 * Write outcomes of one kind.
	 * @param answerLost whether an answer was lost before: a row that does not match any
	 * more was most likely settled by the statement without an answer
	 */
	private void writeAlike(List<Outcome> batch, boolean answerLost) {
		boolean anyAnswerLost = answerLost;
		Set<Long> lost = null;
		while (lost == null) {
			try {
				lost = settle(batch);
			}
			catch (Throwable ex) {
				// Not only errors of the store: what was taken from the queue must not
				// get lost when memory runs out.
				if (ex instanceof StoreException reason && writtenApart(batch, anyAnswerLost, reason)) {
					return;
				}
				anyAnswerLost |= mayHaveWritten(ex);
				pause(ex);
				if (this.givenUp.getAsBoolean()) {
					return;
				}
				if (batch.size() > 1 && mayBeTooLarge(ex)) {
					halve(batch, anyAnswerLost);
					return;
				}
			}
		}
		this.listener.landed(batch, lost, anyAnswerLost);
	}

	private static boolean mayHaveWritten(Throwable failure) {
		return !(failure instanceof StoreException ex) || ex.isOutcomeUnknown();
	}

	/**
	 * Whether fewer rows may be written where this batch was not, and would fail again
	 * and again. A statement that is too large for the server breaks its connection, so a
	 * lost answer is such a case as well.
	 */
	private static boolean mayBeTooLarge(Throwable failure) {
		return mayHaveWritten(failure) || failure instanceof StoreException ex && ex.mayBeTooMuch();
	}

	private Set<Long> settle(List<Outcome> alike) {
		long start = System.nanoTime();
		this.backoff.begins(start);
		Set<Long> lost = settle(alike.get(0).settlement().getClass(), alike);
		this.backoff.succeeded();
		this.stuckSince = null;
		this.metrics.settled(this.pool, alike.size() - lost.size(), System.nanoTime() - start);
		return lost;
	}

	private <S extends Settlement> Set<Long> settle(Class<S> kind, List<Outcome> alike) {
		List<S> settlements = new ArrayList<>(alike.size());
		for (Outcome outcome : alike) {
			settlements.add(kind.cast(outcome.settlement()));
		}
		return this.store.settle(kind, settlements);
	}

	private void pause(Throwable reason) {
		this.sleeper.awaitMillis(this.backoff.failed(reason));
	}

	/**
	 * No single row must keep the others from being written, whether its values are
	 * refused, a trigger refuses it, or somebody holds it.
	 * @return whether the batch is written as far as it can be
	 */
	private boolean writtenApart(List<Outcome> batch, boolean answerLost, StoreException reason) {
		if (!reason.mayConcernOneRow()) {
			return reason.isTimeout() && writtenWithoutLocked(batch, answerLost, reason);
		}
		if (batch.size() > 1) {
			halve(batch, answerLost);
		}
		else if (reason.kind() == StoreException.Kind.DATA) {
			writeLess(batch.get(0), answerLost, reason);
		}
		else {
			setAside(batch, reason);
		}
		return true;
	}

	private void halve(List<Outcome> batch, boolean answerLost) {
		int half = batch.size() / 2;
		writeAlike(batch.subList(0, half), answerLost);
		writeAlike(batch.subList(half, batch.size()), answerLost);
	}

	private boolean writtenWithoutLocked(List<Outcome> batch, boolean answerLost, StoreException reason) {
		Rows rows;
		try {
			rows = rows(batch);
		}
		catch (Throwable ex) {
			return false;
		}
		if (rows.locked().isEmpty()) {
			return false;
		}
		setAside(rows.locked(), reason);
		if (!rows.free().isEmpty()) {
			writeAlike(rows.free(), answerLost);
		}
		return true;
	}

	/**
	 * Write an outcome without what may have been refused. Without an outcome the job
	 * would seem to run for as long as its pool lives.
	 */
	private void writeLess(Outcome outcome, boolean answerLost, StoreException reason) {
		Settlement less = outcome.settlement().withoutTexts(UNWRITABLE);
		if (!less.equals(outcome.settlement())) {
			if (!this.retrying) {
				Quietly.say(() -> logger.warn("The outcome of {} is written without its texts: {}",
						outcome.execution().describe(), reason.getMessage()));
			}
			writeAlike(List.of(outcome.with(less)), answerLost);
			return;
		}
		Settlement.Died died = new Settlement.Died(less.id(), less.lease(), UNWRITABLE, true, null);
		if (died.equals(less)) {
			setAside(List.of(outcome), reason);
			return;
		}
		if (!this.retrying) {
			Quietly.say(() -> logger.error("The outcome of {} cannot be written: {}", outcome.execution().describe(),
					reason.getMessage()));
		}
		writeAlike(List.of(outcome.dead(died)), answerLost);
	}

	private void setAside(List<Outcome> outcomes, StoreException reason) {
		outcomes.forEach(this::setAside);
		if (this.warnings.isDue()) {
			Quietly.say(() -> logger.warn(
					"The outcomes of {} jobs cannot be written for now, such as that of {}; they are kept and "
							+ "tried again: {}",
					outcomes.size(), outcomes.get(0).execution().describe(), reason.getMessage()));
		}
		if (this.stuckSince == null) {
			this.stuckSince = System.nanoTime();
		}
	}

	private void setAside(Outcome outcome) {
		this.aside.add(outcome.asItWas(), System.nanoTime());
	}

	private Rows rows(List<Outcome> outcomes) {
		Set<Long> ids = this.store.locked(outcomes.stream().map((outcome) -> outcome.settlement().id()).toList());
		Rows rows = new Rows(new ArrayList<>(), new ArrayList<>());
		for (Outcome outcome : outcomes) {
			(ids.contains(outcome.settlement().id()) ? rows.locked : rows.free).add(outcome);
		}
		return rows;
	}

	/**
	 * Outcomes, by what their rows are at the moment.
	 *
	 * @param locked those of rows that somebody holds
	 * @param free the others
	 */
	private record Rows(List<Outcome> locked, List<Outcome> free) {

	}

	/**
	 * Told what was written.
	 */
	@FunctionalInterface
	interface Listener {

		/**
		 * Outcomes of one kind were written. Must not throw, or other outcomes would not
		 * be written.
		 * @param batch the outcomes
		 * @param lost the ids of jobs that were not the pool's any more
		 * @param answerLost whether an answer was lost before, so that outcomes may be
		 * among the lost because they had been written already
		 */
		void landed(List<Outcome> batch, Set<Long> lost, boolean answerLost);

	}

}
