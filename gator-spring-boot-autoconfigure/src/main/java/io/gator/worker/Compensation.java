package io.gator.worker;

import java.util.function.Supplier;

import io.gator.JobContext;
import io.gator.routing.Route;
import org.jspecify.annotations.Nullable;

/**
 * Calls the {@code @OnDead} method of a job, before it is written down that it is dead:
 * whatever breaks off the call has the job go back, and it is called again.
 */
final class Compensation {

	private Compensation() {
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
			JobContext job) {
		if (!route.hasOnDead()) {
			return null;
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
			return null;
		}
		catch (Throwable ex) {
			return "@OnDead failed: " + ErrorText.of(ex);
		}
	}

}
