package io.gator.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.gator.Recurring;
import io.gator.routing.ArgsCodec;
import io.gator.routing.RecurringSpec;
import io.gator.routing.Route;
import io.gator.routing.UniqueSpec;
import io.gator.store.UpkeepStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.support.CronExpression;

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

	private final Map<String, Route> jobs = new LinkedHashMap<>();

	/** Those that have no next time. */
	private final Set<String> never = new HashSet<>();

	private final ArgsCodec codec;

	private final Listener listener;

	private boolean planned;

	private long nextLook;

	/**
	 * Create a ticker.
	 * @param store where ticks are written down
	 * @param routes all jobs
	 * @param codec makes the keys of unique jobs
	 * @param listener hears of the jobs that were dispatched
	 */
	public RecurringTicker(UpkeepStore store, Collection<Route> routes, ArgsCodec codec, Listener listener) {
		this.store = store;
		this.codec = codec;
		this.listener = listener;
		for (Route route : routes) {
			if (route.recurring() != null) {
				this.jobs.put(route.name(), route);
			}
		}
		this.nextLook = System.nanoTime();
	}

	/**
	 * Make the ticks that are due. Asks nothing of the database before one can be.
	 * @return how many were made
	 */
	public int runOnce() {
		return runOnce(System.nanoTime());
	}

	int runOnce(long time) {
		if (this.jobs.isEmpty() || time - this.nextLook < 0) {
			return 0;
		}
		this.nextLook = time + AGAIN.toNanos();
		UpkeepStore.Schedule schedule = this.store.schedule(this.jobs.keySet());
		if (plan(schedule)) {
			schedule = this.store.schedule(this.jobs.keySet());
		}
		int made = 0;
		Duration wait = LOOK;
		for (UpkeepStore.Planned job : schedule.jobs()) {
			Route route = this.jobs.get(job.name());
			if (route == null || isOfAnother(job)) {
				continue;
			}
			Instant next = job.next();
			if (!next.isAfter(schedule.now())) {
				Instant following = tick(route, job, schedule.now());
				if (following != null) {
					made++;
					next = following;
				}
			}
			Duration until = Duration.between(schedule.now(), next);
			wait = (until.compareTo(wait) < 0) ? until : wait;
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
		Map<String, Route> missing = new LinkedHashMap<>(this.jobs);
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
		Instant next = next(spec, now, now);
		if (next == null) {
			if (this.never.add(route.name())) {
				logger.warn("The recurring job {} never ticks: {} has no next time", route.name(), text(spec));
			}
			return false;
		}
		this.store.plan(route.name(), text(spec), next, latest(spec, next, now));
		return true;
	}

	/**
	 * The latest that the next tick can be. A little later than it seems: the one that is
	 * due may just have been made, and a clock that is put back by seconds does not make
	 * it twice.
	 */
	private static Instant latest(RecurringSpec spec, Instant next, Instant now) {
		Instant soon = now.plus(MISSED);
		Instant latest = next(spec, soon, soon);
		return (latest != null) ? latest : next;
	}

	/**
	 * Whether the row is as another version has planned it, which alone knows when its
	 * next tick is.
	 */
	private boolean isOfAnother(UpkeepStore.Planned job) {
		Route route = this.jobs.get(job.name());
		return route != null && !text(spec(route)).equals(job.schedule());
	}

	private boolean isTooFar(UpkeepStore.Planned job, Instant now) {
		Route route = this.jobs.get(job.name());
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
		Instant next = next(spec, job.next(), now);
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
					dispatch ? "an earlier job still lives" : "it was missed");
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

	static String text(RecurringSpec spec) {
		return (spec.cron() != null) ? spec.schedule() + " " + spec.zone() : spec.schedule();
	}

	/**
	 * The first tick after both the last one and now. Ticks at an interval keep their
	 * beat, however late one of them was made.
	 */
	static @Nullable Instant next(RecurringSpec spec, Instant last, Instant now) {
		CronExpression cron = spec.cron();
		if (cron != null) {
			Instant from = last.isAfter(now) ? last : now;
			ZonedDateTime next = next(cron, from.atZone(spec.zone()));
			return (next != null) ? next.toInstant() : null;
		}
		Duration every = spec.every();
		if (every == null) {
			return null;
		}
		long beats = Math.max(0, Duration.between(last, now).dividedBy(every)) + 1;
		return last.plus(every.multipliedBy(beats));
	}

	private static @Nullable ZonedDateTime next(CronExpression cron, ZonedDateTime from) {
		ZonedDateTime next = cron.next(from);
		while (next != null && isRepetition(cron, next)) {
			next = cron.next(next);
		}
		ZonedDateTime postponed = postponed(cron, from);
		return (postponed != null && (next == null || postponed.isBefore(next))) ? postponed : next;
	}

	/**
	 * When clocks are put forward an hour does not happen, and the expression goes on to
	 * the next day. What runs at a time of day in that hour runs an hour later.
	 */
	private static @Nullable ZonedDateTime postponed(CronExpression cron, ZonedDateTime from) {
		LocalDateTime local = cron.next(from.toLocalDateTime());
		if (local == null) {
			return null;
		}
		ZoneOffsetTransition change = from.getZone().getRules().getTransition(local);
		return (change != null && change.isGap()) ? local.atZone(from.getZone()) : null;
	}

	/**
	 * When clocks are put back an hour happens twice. What runs at a time of day must not
	 * run twice for that, and what runs every hour or more often must not pause. The
	 * latter is what would also run in the hour that follows.
	 */
	private static boolean isRepetition(CronExpression cron, ZonedDateTime tick) {
		LocalDateTime local = tick.toLocalDateTime();
		ZoneOffsetTransition change = tick.getZone().getRules().getTransition(local);
		if (change == null || !change.isOverlap() || !tick.getOffset().equals(change.getOffsetAfter())) {
			return false;
		}
		LocalDateTime end = change.getDateTimeBefore();
		LocalDateTime following = cron.next(end.minusNanos(1));
		return following == null || !following.isBefore(end.plus(change.getDuration().abs()));
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
