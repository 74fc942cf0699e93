package io.gator.insight;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.gator.worker.AttemptOutcome;
import io.gator.worker.WorkerMetrics;

/**
 * Counts what comes and goes in this process, by queue. Called for every job.
 */
public final class Rates implements WorkerMetrics {

	/** At most of how many queues the rates are told. */
	private static final int MAX_QUEUES = 1_000;

	private final Map<String, Counts> queues = new ConcurrentHashMap<>();

	private final Counts untold = new Counts();

	private long readAt = System.nanoTime();

	@Override
	public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
		if (outcome == AttemptOutcome.SUCCEEDED || outcome == AttemptOutcome.DEAD
				|| outcome == AttemptOutcome.CANCELLED) {
			counts(queue).out.increment();
		}
	}

	@Override
	public void dispatched(String name, String queue, int jobs) {
		counts(queue).in.add(jobs);
	}

	private Counts counts(String queue) {
		Counts known = this.queues.get(queue);
		if (known != null) {
			return known;
		}
		return (this.queues.size() < MAX_QUEUES) ? this.queues.computeIfAbsent(queue, (name) -> new Counts())
				: this.untold;
	}

	/**
	 * The rates since the last call. Called by one thread.
	 * @param now the monotonic time
	 * @return the rates of the queues where something moved
	 */
	Map<String, Rate> read(long now) {
		double seconds = Math.max(0.001, (now - this.readAt) / 1e9);
		this.readAt = now;
		Map<String, Rate> rates = new HashMap<>();
		this.queues.forEach((queue, counts) -> {
			long in = counts.in.sumThenReset();
			long out = counts.out.sumThenReset();
			if (in > 0 || out > 0) {
				rates.put(queue, new Rate(in / seconds, out / seconds));
			}
		});
		return rates;
	}

	private static final class Counts {

		private final LongAdder in = new LongAdder();

		private final LongAdder out = new LongAdder();

	}

}
