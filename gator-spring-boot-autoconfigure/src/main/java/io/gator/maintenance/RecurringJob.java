package io.gator.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import io.gator.Recurring;
import io.gator.routing.RecurringSpec;
import io.gator.routing.Route;
import io.gator.store.UpkeepStore.Plan;
import io.gator.store.UpkeepStore.Planned;

/**
 * A recurring job as this process knows it, and what it makes of the job's row.
 *
 * @param route the job
 * @param spec when it ticks
 */
record RecurringJob(Route route, RecurringSpec spec) {

	/**
	 * How late a tick may be; a later one was missed, because nobody was there to make
	 * it.
	 */
	private static final Duration MISSED = Duration.ofSeconds(30);

	static Map<String, RecurringJob> among(Collection<Route> routes) {
		Map<String, RecurringJob> jobs = new LinkedHashMap<>();
		for (Route route : routes) {
			RecurringSpec spec = route.recurring();
			if (spec != null) {
				jobs.put(route.name(), new RecurringJob(route, spec));
			}
		}
		return jobs;
	}

	String name() {
		return this.route.name();
	}

	/** When it ticks next. */
	Plan plan(Instant now) {
		Instant next = this.spec.next(now, now);
		return new Plan(name(), this.spec.text(), next, latest(now), now.plus(MISSED));
	}

	/**
	 * The latest time that the next tick can have, counted from a little after now. If
	 * the clock is put back by seconds when a tick has just been made, the following tick
	 * is then not taken for too late, and the one that was made is not made twice.
	 */
	private Instant latest(Instant now) {
		Instant soon = now.plus(MISSED);
		return this.spec.next(soon, soon);
	}

	boolean isToBePlanned(Planned planned, Instant now) {
		return isOfAnother(planned) ? isMissed(planned, now) : isTooFar(planned, now);
	}

	/**
	 * Whether another version has planned the row. Only that version knows when its next
	 * tick is.
	 */
	boolean isOfAnother(Planned planned) {
		return !this.spec.text().equals(planned.schedule());
	}

	private boolean isTooFar(Planned planned, Instant now) {
		return planned.next().isAfter(latest(now));
	}

	private static boolean isMissed(Planned planned, Instant now) {
		return Duration.between(planned.next(), now).compareTo(MISSED) > 0;
	}

	/** Whether the tick that is due is dispatched, or only passed over. */
	boolean dispatches(Planned planned, Instant now) {
		return !isMissed(planned, now) || this.spec.misfire() == Recurring.Misfire.ONCE;
	}

}
