package io.gator.fault;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.gator.fault.Evidence.Run;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long jobs waited after a fault. What the machine let the workers do
 * nothing in does not count.
 */
final class Recovery {

	/**
	 * For how long a worker believes no free lock after beats of its own were missing.
	 */
	private static final long STEADY = TimeUnit.SECONDS.toNanos(10);

	/** What makes its beats be missing. */
	private static final long LONG_STALL = TimeUnit.MILLISECONDS.toNanos(1500);

	private final Cluster cluster;

	private final Evidence evidence;

	private final Report report;

	Recovery(Cluster cluster, Evidence evidence, Report report) {
		this.cluster = cluster;
		this.evidence = evidence;
		this.report = report;
	}

	void measure() {
		recoveries();
		resumptions();
	}

	private void recoveries() {
		this.evidence.runs().values().forEach((list) -> {
			for (int i = 0; i < list.size(); i++) {
				fromDeath(list, i);
				fromFreezes(list, i);
			}
		});
	}

	/** How long a job that ran in a process which was killed took to start elsewhere. */
	private void fromDeath(List<Run> list, int index) {
		Run run = list.get(index);
		long killed = run.worker.killedAt();
		if (killed > 0 && run.outcome == null && run.end == killed && !isUnsteady(killed, run.worker)) {
			double recovered = recovered(list, index, killed);
			if (recovered >= 0) {
				this.report.killedRecovery.add(recovered);
				if (recovered > 5) {
					this.report.note("slow: job " + run.job + " killed at " + killed / 1_000_000 + ", " + list + " "
							+ this.evidence.transitions(run.job));
				}
			}
		}
	}

	/** The same, where the process stood still for longer than its leases. */
	private void fromFreezes(List<Run> list, int index) {
		Run run = list.get(index);
		for (WorkerProcess.Span span : run.worker.freezes()) {
			boolean away = span.nanos() > this.cluster.settings().lease().toNanos();
			if (away && run.start < span.from() && run.end > span.to()) {
				double recovered = recovered(list, index, span.from());
				if (recovered >= 0) {
					this.report.frozenRecovery.add(recovered);
				}
			}
		}
	}

	/**
	 * The seconds until the next run of a job, or until its end where there is none; less
	 * than zero if there was neither.
	 */
	private double recovered(List<Run> list, int index, long from) {
		Run run = list.get(index);
		if (index + 1 < list.size()) {
			return seconds(from, list.get(index + 1).start, run.worker);
		}
		return this.evidence.transitions(run.job)
			.stream()
			.filter((transition) -> transition.isEnd() && transition.at() > from)
			.mapToDouble((transition) -> seconds(from, transition.at(), run.worker))
			.findFirst()
			.orElse(-1);
	}

	/**
	 * Whether another worker stood still for so long about that time that it has not
	 * believed free locks.
	 */
	private boolean isUnsteady(long time, WorkerProcess but) {
		return this.evidence.stalls()
			.entrySet()
			.stream()
			.filter((each) -> each.getKey() != but)
			.flatMap((each) -> each.getValue().stream())
			.anyMatch((span) -> span.nanos() > LONG_STALL && span.from() - time < STEADY && time - span.to() < STEADY);
	}

	/** What the machine let the workers that matter do nothing in does not count. */
	private double seconds(long from, long to, @Nullable WorkerProcess but) {
		long stalled = 0;
		for (Map.Entry<WorkerProcess, List<WorkerProcess.Span>> each : this.evidence.stalls().entrySet()) {
			if (each.getKey() != but) {
				stalled = Math.max(stalled,
						each.getValue()
							.stream()
							.mapToLong((span) -> Math.max(0, Math.min(to, span.to()) - Math.max(from, span.from())))
							.sum());
			}
		}
		return (to - from - stalled) / 1e9;
	}

	private void resumptions() {
		for (Long returned : this.cluster.returns()) {
			this.evidence.runs()
				.values()
				.stream()
				.flatMap(List::stream)
				.filter((run) -> run.start > returned)
				.mapToLong((run) -> run.start)
				.min()
				.ifPresent((first) -> this.report.resumed.add(seconds(returned, first, null)));
		}
	}

}
