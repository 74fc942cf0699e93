package io.gator.worker;

import java.util.List;

/**
 * Several that count. A plain loop over an array: this is called for every job.
 */
final class CompositeWorkerMetrics implements WorkerMetrics {

	private final WorkerMetrics[] all;

	CompositeWorkerMetrics(List<WorkerMetrics> all) {
		this.all = all.toArray(WorkerMetrics[]::new);
	}

	@Override
	public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
		for (WorkerMetrics each : this.all) {
			each.executed(name, queue, outcome, nanos);
		}
	}

	@Override
	public void waited(String name, String queue, long nanos) {
		for (WorkerMetrics each : this.all) {
			each.waited(name, queue, nanos);
		}
	}

	@Override
	public void claimed(String pool, int jobs, long nanos) {
		for (WorkerMetrics each : this.all) {
			each.claimed(pool, jobs, nanos);
		}
	}

	@Override
	public void settled(String pool, int jobs, long nanos) {
		for (WorkerMetrics each : this.all) {
			each.settled(pool, jobs, nanos);
		}
	}

	@Override
	public void leasesLost(String pool, int jobs) {
		for (WorkerMetrics each : this.all) {
			each.leasesLost(pool, jobs);
		}
	}

	@Override
	public void dispatched(String name, String queue, int jobs) {
		for (WorkerMetrics each : this.all) {
			each.dispatched(name, queue, jobs);
		}
	}

	@Override
	public void rescued(int jobs) {
		for (WorkerMetrics each : this.all) {
			each.rescued(jobs);
		}
	}

}
