package io.gator.worker;

import java.util.function.Supplier;

import io.gator.routing.Route;
import io.gator.store.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * Calls the {@code @OnDead} method of a job before it is written that the job is dead: if
 * anything breaks off the call, the job goes back and the method is called again.
 */
final class OnDeadCall {

	/**
	 * How many times the method is called once no attempt is left: a call that ends its
	 * process must not end one process after the other.
	 */
	private static final int MAX_TRIES = 3;

	private OnDeadCall() {
	}

	/**
	 * Whether the call was under way when several processes ended, one after the other.
	 * @param route the job
	 * @param job a job that has no attempt left
	 * @return whether the call is not made any more
	 */
	static boolean isGivenUp(Route route, ClaimedContext job) {
		// Each claim that led to such a call has charged an attempt.
		return route.retry().beyondLimit(job.job.attempts()) > MAX_TRIES;
	}

	/**
	 * Call it, if the job has one.
	 * @param route the job
	 * @param args reads what the handler was given, {@code null} if nobody can
	 * @param error why the job is dead
	 * @param job the job, or the first of those that the call is for
	 * @return what is added to the error if it did not succeed, or {@code null}
	 */
	static @Nullable String call(Route route, Supplier<@Nullable Object @Nullable []> args, Throwable error,
			ClaimedContext job) {
		if (!route.hasOnDead()) {
			return null;
		}
		if (isGivenUp(route, job)) {
			return "@OnDead is not called any more: " + MAX_TRIES + " processes have ended since the last attempt\n";
		}
		@Nullable Object[] given = {};
		if (route.onDeadTakesArguments()) {
			@Nullable Object[] read = args.get();
			if (read == null) {
				return "@OnDead was not called: it takes arguments that cannot be read\n";
			}
			given = read;
		}
		try {
			route.invokeOnDead(given, error, job);
			ThreadState.requireNoTransaction();
			return null;
		}
		catch (Throwable ex) {
			return "@OnDead failed: " + ErrorText.of(ex);
		}
		finally {
			// Items of a batch may have calls of their own.
			ThreadState.clean(route.name());
		}
	}

}
