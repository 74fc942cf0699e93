package io.gator.observation;

import java.util.function.BooleanSupplier;

import io.gator.JobCancelledException;
import io.gator.JobContext;
import io.gator.JobInterceptor;
import io.gator.JobSnoozedException;
import io.gator.store.JobMetadata;
import io.gator.worker.AttemptObserver;
import io.gator.worker.AttemptOutcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes attempts, each as the continuation of the trace of its dispatch.
 */
public final class ObservedAttempts implements AttemptObserver {

	private final ObservationRegistry registry;

	private final ExecuteObservationConvention convention;

	private final BooleanSupplier active;

	/**
	 * Create an observer.
	 * @param registry where observations go
	 * @param convention names and keys
	 * @param active whether to observe at all
	 */
	public ObservedAttempts(ObservationRegistry registry, ExecuteObservationConvention convention,
			BooleanSupplier active) {
		this.registry = registry;
		this.convention = convention;
		this.active = active;
	}

	@Override
	public @Nullable Object observe(JobContext job, @Nullable String metadata, JobInterceptor.Invocation handler)
			throws Exception {
		if (!this.active.getAsBoolean()) {
			return handler.proceed();
		}
		ExecuteObservationContext context = new ExecuteObservationContext(job, new JobMetadata(metadata).headers());
		QuietObservation observation = QuietObservation.begin(this.registry,
				() -> Observation.createNotStarted(null, this.convention, () -> context, this.registry));
		Throwable error = null;
		try {
			return handler.proceed();
		}
		catch (JobSnoozedException ex) {
			context.setEnding(AttemptOutcome.SNOOZED.label());
			throw ex;
		}
		catch (JobCancelledException ex) {
			context.setEnding(AttemptOutcome.CANCELLED.label());
			throw ex;
		}
		catch (Throwable ex) {
			error = ex;
			throw ex;
		}
		finally {
			observation.end(error);
		}
	}

}
