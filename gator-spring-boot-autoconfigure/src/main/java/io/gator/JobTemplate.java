package io.gator;

import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The class that applications inject to dispatch jobs. Thread-safe.
 *
 * <pre>
 * jobs.dispatch(SendWelcomeEmail.class, user.id(), Locale.FRENCH);
 * jobs.dispatchMany(ScoreLead.class, leadIds);
 * jobs.to(FollowUp.class).queue("low").delay(Duration.ofDays(3)).dispatch(lead.id());
 * </pre>
 */
public class JobTemplate implements JobOperations {

	private final JobOperations operations;

	/**
	 * Create a template.
	 * @param operations what does the work
	 */
	public JobTemplate(JobOperations operations) {
		this.operations = Objects.requireNonNull(operations, "operations");
	}

	@Override
	public long dispatch(Class<?> job, @Nullable Object... args) {
		return this.operations.dispatch(job, args);
	}

	@Override
	public List<Long> dispatchMany(Class<?> job, Collection<?> each) {
		return this.operations.dispatchMany(job, each);
	}

	@Override
	public DispatchSpec to(Class<?> job) {
		return this.operations.to(job);
	}

	@Override
	public DispatchSpec to(String jobName) {
		return this.operations.to(jobName);
	}

	@Override
	public JobChain chain(Class<?> first) {
		return this.operations.chain(first);
	}

}
