package io.gator.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import io.gator.Recurring;
import io.gator.routing.ArgsCodec;
import io.gator.routing.RecurringSpec;
import io.gator.routing.Route;
import io.gator.routing.UniqueSpec;
import io.gator.store.StoreException;
import io.gator.store.UpkeepStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the ticks of recurring jobs. All processes that know a job try, and the row of
 * the job decides who makes the tick; a job that left the code is made by nobody. Used by
 * one thread.
 */
public final class RecurringTicker {

	private static final Logger logger = LoggerFactory.getLogger(RecurringTicker.class);

	/** A tick later than this was missed: nobody was there to make it. */
	private static final Duration MISSED = Duration.ofSeconds(30);

	/** How often to look whether another process has changed a schedule. */
	private static final Duration LOOK = Duration.ofSeconds(30);

	/** After an error: the duty itself comes by far more often. */
	private static final Duration AGAIN = Duration.ofSeconds(1);

	private static final @Nullable Object[] NO_ARGS = {};

	private final UpkeepStore store;

	private final SingletonSupplier<Map<String, Route>> jobs;

	/** Those that have no next time. */
	private final Set<String> never = new HashSet<>();

	private final ArgsCodec codec;

	private final Listener listener;

	private boolean planned;

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
		this.jobs = SingletonSupplier.of(() -> recurring(routes.get()));
		this.codec = codec;
		this.listener = listener;
		this.nextLook = System.nanoTime();
	}

	private static Map<String, Route> recurring(Collection<Route> routes) {
		Map<String, Route> jobs = new LinkedHashMap<>();
		for (Route route : routes) {
			if (route.recurring() != null) {
				jobs.put(route.name(), route);
			}
		}
		return jobs;
	}

	/**
	 * Make the ticks that are due. Asks nothing of the database before one can be.
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
		int made = 0;
		Duration wait = LOOK;
		StoreException refusal = null;
		for (UpkeepStore.Planned job : schedule.jobs()) {
			Route route = this.jobs.obtain().get(job.name());
			if (route == null || isOfAnother(job)) {
				continue;
			}
			Instant next = job.next();
			if (!next.isAfter(schedule.now())) {
				try {
					Instant following = tick(route, job, schedule.now());
					if (following != null) {
						made++;
						next = following;
					}
				}
				catch (StoreException ex) {
					// What is refused of one job must not keep the others.
					if (!ex.mayConcernOneRow()) {
						throw ex;
					}
					refusal = ex;
				}
			}
			Duration until = Duration.between(schedule.now(), next);
			wait = (until.compareTo(wait) < 0) ? until : wait;
		}
		if (refusal != null) {
			throw refusal;
		}
		this.nextLook = time + Math.max(0, wait.toNanos());
		return made;
	}

	/**
	 * Write down what is not written down as this process knows it. When it starts that
	 * is what has changed; later on it is what somebody has deleted, what another version
	 * has written and nobody ticks any more, and what was planned before the database's
	 * clock was put back.
	 * @return whether anything was written
	 */
	private boolean plan(UpkeepStore.Schedule schedule) {
		Map<String, Route> missing = new LinkedHashMap<>(this.jobs.obtain());
		if (this.planned) {
			missing.keySet().removeAll(this.never);
			for (UpkeepStore.Planned job : schedule.jobs()) {
				if (isOfAnother(job) ? !isMissed(job, schedule.now()) : !isTooFar(job, schedule.now())) {
					missing.remove(job.name());
				}
			}
		}
		missing.values().removeIf((route) -> !plan(route, schedule.now()));
		if (!missing.isEmpty()) {
			logger.info("Recurring jobs: {}", missing.keySet());
		}
		this.planned = true;
		return !missing.isEmpty();
	}

	private boolean plan(Route route, Instant now) {
		RecurringSpec spec = spec(route);
		Instant next = spec.next(now, now);
		if (next == null) {
			if (this.never.add(route.name())) {
				logger.warn("The recurring job {} never ticks: {} has no next time", route.name(), spec.text());
			}
			return false;
		}
		this.store.plan(route.name(), spec.text(), next, latest(spec, next, now));
		return true;
	}

	/**
	 * The latest that the next tick can be. A little later than it seems: the one that is
	 * due may just have been made, and a clock that is put back by seconds does not make
	 * it twice.
	 */
	private static Instant latest(RecurringSpec spec, Instant next, Instant now) {
		Instant soon = now.plus(MISSED);
		Instant latest = spec.next(soon, soon);
		return (latest != null) ? latest : next;
	}

	/**
	 * Whether the row is as another version has planned it, which alone knows when its
	 * next tick is.
	 */
	private boolean isOfAnother(UpkeepStore.Planned job) {
		Route route = this.jobs.obtain().get(job.name());
		return route != null && !spec(route).text().equals(job.schedule());
	}

	private boolean isTooFar(UpkeepStore.Planned job, Instant now) {
		Route route = this.jobs.obtain().get(job.name());
		return route != null && job.next().isAfter(latest(spec(route), job.next(), now));
	}

	private static boolean isMissed(UpkeepStore.Planned job, Instant now) {
		return Duration.between(job.next(), now).compareTo(MISSED) > 0;
	}

	/**
	 * Make one tick.
	 * @return the time of the next one; {@code null} if somebody else has made it, or is
	 * in the way of it
	 */
	private @Nullable Instant tick(Route route, UpkeepStore.Planned job, Instant now) {
		RecurringSpec spec = spec(route);
		Instant next = spec.next(job.next(), now);
		if (next == null) {
			return null;
		}
		boolean dispatch = !isMissed(job, now) || spec.misfire() == Recurring.Misfire.ONCE;
		UniqueSpec unique = route.unique();
		Optional<UpkeepStore.Ticked> ticked = this.store
			.tick(new UpkeepStore.Tick(job.name(), route.queue(), job.next(), next, dispatch, spec.overlap(),
					this.codec.uniqueKey(route, NO_ARGS), unique != null && unique.untilStarted()));
		if (ticked.isEmpty()) {
			return null;
		}
		Long id = ticked.get().job();
		if (id != null) {
			logger.debug("Dispatched job {} ({} on queue {}) for its tick at {}", id, job.name(), route.queue(),
					job.next());
			this.listener.dispatched(job.name(), route.queue());
		}
		else {
			logger.info("Skipped the tick of {} at {}: {}", job.name(), job.next(),
					dispatch ? "an earlier job still lives, or the database keeps the row out" : "it was missed");
		}
		return next;
	}

	private static RecurringSpec spec(Route route) {
		RecurringSpec spec = route.recurring();
		if (spec == null) {
			throw new IllegalStateException(route.name() + " is not recurring");
		}
		return spec;
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
