package io.gator;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Selects the jobs to list. Paging is by key: a later page costs no more than the first.
 * See {@link JobAdmin#list} for the cost of a page. Immutable.
 *
 * @param state the state
 * @param queue only this queue, or {@code null} for all
 * @param name only this job, or {@code null} for all
 * @param after only jobs with a greater id; 0 for the first page
 * @param limit the most jobs of a page, 1 to 1000
 */
public record JobQuery(JobState state, @Nullable String queue, @Nullable String name, long after, int limit) {

	/**
	 * Create a query.
	 * @throws IllegalArgumentException if the limit is out of range, or the queue or the
	 * name holds U+0000, which PostgreSQL takes in no text
	 * @throws NullPointerException if the state is {@code null}
	 */
	public JobQuery {
		Objects.requireNonNull(state, "state");
		if (limit < 1 || limit > 1000) {
			throw new IllegalArgumentException("A page has 1 to 1000 jobs, not " + limit);
		}
		refuseZero(queue, "queue");
		refuseZero(name, "name");
	}

	private static void refuseZero(@Nullable String text, String what) {
		if (text != null && text.indexOf('\u0000') >= 0) {
			throw new IllegalArgumentException("The " + what + " must not contain U+0000");
		}
	}

	/**
	 * The first page of jobs in a state.
	 * @param state the state
	 * @return a query for 100 jobs
	 * @throws NullPointerException if the state is {@code null}
	 */
	public static JobQuery of(JobState state) {
		return new JobQuery(state, null, null, 0, 100);
	}

	/**
	 * Only one queue.
	 * @param queue the queue
	 * @return a new query
	 * @throws IllegalArgumentException if it holds U+0000
	 */
	public JobQuery queue(String queue) {
		return new JobQuery(this.state, queue, this.name, this.after, this.limit);
	}

	/**
	 * Only one job.
	 * @param name the name of the job
	 * @return a new query
	 * @throws IllegalArgumentException if it holds U+0000
	 */
	public JobQuery name(String name) {
		return new JobQuery(this.state, this.queue, name, this.after, this.limit);
	}

	/**
	 * The page that follows.
	 * @param id the id of the last job of the page before
	 * @return a new query
	 */
	public JobQuery after(long id) {
		return new JobQuery(this.state, this.queue, this.name, id, this.limit);
	}

	/**
	 * Another size of the page.
	 * @param limit the most jobs, 1 to 1000
	 * @return a new query
	 * @throws IllegalArgumentException if the limit is out of range
	 */
	public JobQuery limit(int limit) {
		return new JobQuery(this.state, this.queue, this.name, this.after, limit);
	}

}
