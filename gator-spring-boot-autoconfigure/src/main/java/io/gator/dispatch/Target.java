package io.gator.dispatch;

import java.time.Duration;
import java.time.Instant;

import io.gator.JobDispatchException;
import io.gator.routing.DueTimes;
import io.gator.routing.Names;
import io.gator.routing.Route;
import io.gator.store.JobMetadata;
import io.gator.store.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * Which job goes where and when. Immutable.
 *
 * @param name the name of the job
 * @param route its route, or {@code null} if its handler is not here
 * @param queue the queue
 * @param delay the time to wait, or {@code null}
 * @param at the time at which it is due, or {@code null}
 * @param uniqueKey the unique key given at dispatch, or {@code null}
 */
record Target(String name, @Nullable Route route, String queue, @Nullable Duration delay, @Nullable Instant at,
		@Nullable String uniqueKey) {

	private static final int MAX_KEY = 512;

	Target withQueue(String queue) {
		if (!Names.isValid(queue)) {
			throw refused("the name of its queue is not of the form " + Names.FORM);
		}
		return new Target(this.name, this.route, queue, this.delay, this.at, this.uniqueKey);
	}

	Target withDelay(Duration wait) {
		if (!DueTimes.isValid(wait)) {
			throw refused("its delay is " + wait + ", but must be between zero and ten years");
		}
		return new Target(this.name, this.route, this.queue, wait.isZero() ? null : wait, null, this.uniqueKey);
	}

	Target withTime(Instant time) {
		if (!DueTimes.isValid(time)) {
			throw refused("its time is " + time + ", but " + DueTimes.RULE);
		}
		return new Target(this.name, this.route, this.queue, null, DueTimes.storable(time), this.uniqueKey);
	}

	Target withUniqueKey(String key) {
		if (key == null || key.isEmpty() || key.length() > MAX_KEY) {
			throw refused("its unique key is " + ((key == null) ? "null" : key.length() + " characters long")
					+ ", but must have 1 to " + MAX_KEY + " characters");
		}
		if (!isText(key)) {
			throw refused("its unique key contains U+0000 or a lone surrogate, which the database cannot store");
		}
		return new Target(this.name, this.route, this.queue, this.delay, this.at, key);
	}

	NewJob newJob(JobMetadata metadata) {
		boolean untilStarted = this.route != null && this.route.unique() != null && this.route.unique().untilStarted();
		return new NewJob(this.queue, this.name, this.delay, this.at, untilStarted, metadata.json());
	}

	JobDispatchException refused(String reason) {
		return new JobDispatchException("Job '" + this.name + "' was not dispatched: " + reason + ".");
	}

	private static boolean isText(String text) {
		return text.codePoints()
			.noneMatch((point) -> point == 0 || point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
	}

}
