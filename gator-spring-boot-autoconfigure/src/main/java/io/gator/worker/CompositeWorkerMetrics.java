package io.gator.worker;

import java.util.List;
import java.util.function.Consumer;

import io.gator.store.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several metrics as one. What one of them throws is logged and swallowed: otherwise a
 * meter that is set up wrongly would end a pool's thread, or a job that has succeeded
 * would be run again. Called for every job.
 */
final class CompositeWorkerMetrics implements WorkerMetrics {

	private static final Logger logger = LoggerFactory.getLogger(CompositeWorkerMetrics.class);

	private final WorkerMetrics[] all;

	private final OnceAMinute warnings = new OnceAMinute();

	CompositeWorkerMetrics(List<WorkerMetrics> all) {
		this.all = all.toArray(WorkerMetrics[]::new);
	}

	@Override
	public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
		tell((each) -> each.executed(name, queue, outcome, nanos));
	}

	@Override
	public void waited(String name, String queue, long nanos) {
		tell((each) -> each.waited(name, queue, nanos));
	}

	@Override
	public void claimed(String pool, int jobs, long nanos) {
		tell((each) -> each.claimed(pool, jobs, nanos));
	}

	@Override
	public void settled(String pool, int jobs, long nanos) {
		tell((each) -> each.settled(pool, jobs, nanos));
	}

	@Override
	public void leasesLost(String pool, int jobs) {
		tell((each) -> each.leasesLost(pool, jobs));
	}

	@Override
	public void dispatched(String name, String queue, int jobs) {
		tell((each) -> each.dispatched(name, queue, jobs));
	}

	@Override
	public void rescued(int jobs) {
		tell((each) -> each.rescued(jobs));
	}

	private void tell(Consumer<WorkerMetrics> what) {
		for (WorkerMetrics each : this.all) {
			try {
				what.accept(each);
			}
			catch (Throwable ex) {
				if (this.warnings.isDue()) {
					Quietly.say(() -> logger.warn("{} threw while counting; the jobs are not affected: {}",
							each.getClass().getName(), ErrorText.of(ex)));
				}
			}
		}
	}

}
