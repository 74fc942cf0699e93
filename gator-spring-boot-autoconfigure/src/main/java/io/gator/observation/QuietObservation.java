package io.gator.observation;

import java.util.function.Supplier;

import io.gator.store.ErrorText;
import io.gator.worker.OnceAMinute;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An observation that begins and ends on one thread. What a convention or a handler of
 * observations throws is logged, at most once a minute, and does not fail the dispatch or
 * the attempt that is observed: its work may be committed by then, and would be done
 * again.
 */
final class QuietObservation {

	private static final Logger logger = LoggerFactory.getLogger(QuietObservation.class);

	private static final OnceAMinute warnings = new OnceAMinute();

	private final ObservationRegistry registry;

	private final Observation.@Nullable Scope before;

	private Observation observation = Observation.NOOP;

	private Observation.Scope scope = Observation.Scope.NOOP;

	private QuietObservation(ObservationRegistry registry) {
		this.registry = registry;
		this.before = registry.getCurrentObservationScope();
	}

	/**
	 * Begin.
	 * @param registry where the observation goes
	 * @param creation creates it, not started
	 * @return what ends it
	 */
	static QuietObservation begin(ObservationRegistry registry, Supplier<Observation> creation) {
		QuietObservation begun = new QuietObservation(registry);
		quietly(() -> begun.observation = creation.get().start());
		if (!quietly(() -> begun.scope = begun.observation.openScope())) {
			begun.restore();
		}
		return begun;
	}

	/**
	 * End.
	 * @param error what the observed has failed with, or {@code null}
	 */
	void end(@Nullable Throwable error) {
		if (!quietly(this.scope::close)) {
			restore();
		}
		if (error != null) {
			quietly(() -> this.observation.error(error));
		}
		quietly(this.observation::stop);
	}

	/**
	 * A handler that throws leaves its scope on the thread, which goes on to other jobs.
	 */
	private void restore() {
		this.registry.setCurrentObservationScope(this.before);
	}

	private static boolean quietly(Runnable call) {
		try {
			call.run();
			return true;
		}
		catch (Throwable ex) {
			// Also checked exceptions: code in Kotlin, for example, does not declare
			// them.
			if (warnings.isDue()) {
				logger.warn("An observation failed; the jobs are not affected: {}", ErrorText.of(ex));
			}
			return false;
		}
	}

}
