package io.gator.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

import io.gator.routing.ArgsCodec;
import io.gator.routing.RecurringSpec;
import io.gator.routing.Route;
import io.gator.routing.UniqueSpec;
import io.gator.store.StoreException;
import io.gator.store.UpkeepStore;
import io.gator.store.UpkeepStore.Planned;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the ticks of recurring jobs. All processes that know a job try, and the row of
 * the job decides who makes the tick; nobody makes those of a job that has left the code.
 * Used by one thread.
 */
public final class RecurringTicker {

	private static final Logger logger = LoggerFactory.getLogger(RecurringTicker.class);

	/** How often to look whether another process has changed a schedule. */
	private static final Duration LOOK = Duration.ofSeconds(30);

	/** How long to wait after an error: the duty itself is called far more often. */
	private static final Duration AGAIN = Duration.ofSeconds(1);

	private static final @Nullable Object[] NO_ARGS = {};

	private final UpkeepStore store;

	private final SingletonSupplier<Map<String, RecurringJob>> jobs;

	private final ArgsCodec codec;

	private final Listener listener;

	private boolean plannedOnce;

	private long nextLook;

	/**
	 * Create a ticker.
	 * @param store where ticks are written down
	 * @param routes all jobs, asked for with the first run: while beans are made some are
	 * not known yet
	 * @param codec makes the keys of unique jobs
	 * @param listener hears of the jobs that were dispatched
	 */
	public RecurringTicker(UpkeepStore store, Supplier<Collection<Route>> routes, ArgsCodec codec, Listener listener) {
		this.store = store;
		this.jobs = SingletonSupplier.of(() -> RecurringJob.among(routes.get()));
		this.codec = codec;
		this.listener = listener;
		this.nextLook = System.nanoTime();
	}

	/**
	 * Make the ticks that are due. Does not ask the database before one can be due.
	 * @return how many were made
	 */
	public int runOnce() {
		return runOnce(System.nanoTime());
	}

	int runOnce(long time) {
		if (this.jobs.obtain().isEmpty() || time - this.nextLook < 0) {
			return 0;
		}
		this.nextLook = time + AGAIN.toNanos();
		UpkeepStore.Schedule schedule = this.store.schedule(this.jobs.obtain().keySet());
		if (plan(schedule)) {
			schedule = this.store.schedule(this.jobs.obtain().keySet());
		}
		Turn turn = new Turn(schedule.now());
		for (Planned planned : schedule.jobs()) {
			if (!job(planned).isOfAnother(planned)) {
				turn.take(planned);
			}
		}
		turn.throwRefusal();
		this.nextLook = time + Math.max(0, turn.wait.toNanos());
		return turn.made;
	}

	/** The schedule has only jobs that it was asked for. */
	private RecurringJob job(Planned planned) {
		return Objects.requireNonNull(this.jobs.obtain().get(planned.name()));
	}

	/**
	 * Write down the next ticks that the rows do not have as this process knows them.
	 * When it starts, these are the ticks of new and changed jobs. Later they are those
	 * of rows which somebody has deleted, which another version has written and nobody
	 * ticks any more, or which were planned before the database's clock was put back.
	 * @return whether anything was written
	 */
	private boolean plan(UpkeepStore.Schedule schedule) {
		Map<String, RecurringJob> missing = new LinkedHashMap<>(this.jobs.obtain());
		if (this.plannedOnce) {
			for (Planned planned : schedule.jobs()) {
				if (!job(planned).isToBePlanned(planned, schedule.now())) {
					missing.remove(planned.name());
				}
			}
		}
		missing.values().forEach((job) -> this.store.plan(job.plan(schedule.now())));
		if (!missing.isEmpty()) {
			logger.info("Recurring jobs: {}", missing.keySet());
		}
		this.plannedOnce = true;
		return !missing.isEmpty();
	}

	/**
	 * Make one tick.
	 * @return the time of the next one; {@code null} if somebody else has made it, or is
	 * in the way of it
	 */
	private @Nullable Instant tick(RecurringJob job, Planned planned, Instant now) {
		Route route = job.route();
		RecurringSpec spec = job.spec();
		Instant next = spec.next(planned.next(), now);
		boolean dispatch = job.dispatches(planned, now);
		UniqueSpec unique = route.unique();
		Optional<UpkeepStore.Ticked> ticked = this.store
			.tick(new UpkeepStore.Tick(job.name(), route.queue(), planned.next(), next, dispatch, spec.overlap(),
					this.codec.uniqueKey(route, NO_ARGS), unique != null && unique.untilStarted()));
		if (ticked.isEmpty()) {
			return null;
		}
		Long id = ticked.get().job();
		if (id != null) {
			logger.debug("Dispatched job {} ({} on queue {}) for its tick at {}", id, job.name(), route.queue(),
					planned.next());
			this.listener.dispatched(job.name(), route.queue());
		}
		else {
			logger.info("Skipped the tick of {} at {}: {}", job.name(), planned.next(),
					dispatch ? "an earlier job still lives, or the database keeps the row out" : "it was missed");
		}
		return next;
	}

	/**
	 * One turn through the jobs.
	 */
	private final class Turn {

		private final Instant now;

		private int made;

		private Duration wait = LOOK;

		private @Nullable StoreException refusal;

		Turn(Instant now) {
			this.now = now;
		}

		void take(Planned planned) {
			Duration until = Duration.between(this.now, next(planned));
			this.wait = (until.compareTo(this.wait) < 0) ? until : this.wait;
		}

		/** When the job ticks next, after its tick was made if it was due. */
		private Instant next(Planned planned) {
			Instant following = planned.next().isAfter(this.now) ? null : tick(planned);
			if (following == null) {
				return planned.next();
			}
			this.made++;
			return following;
		}

		private @Nullable Instant tick(Planned planned) {
			try {
				return RecurringTicker.this.tick(job(planned), planned, this.now);
			}
			catch (StoreException ex) {
				// A refusal of one job must not keep the others from their ticks.
				if (!ex.mayConcernOneRow()) {
					throw ex;
				}
				this.refusal = ex;
				return null;
			}
		}

		void throwRefusal() {
			if (this.refusal != null) {
				throw this.refusal;
			}
		}

	}

	/**
	 * Hears of ticks.
	 */
	@FunctionalInterface
	public interface Listener {

		/**
		 * A job was dispatched for its tick.
		 * @param name the name of the job
		 * @param queue the queue
		 */
		void dispatched(String name, String queue);

	}

}
