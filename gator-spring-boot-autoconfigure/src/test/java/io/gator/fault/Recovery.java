package io.gator.fault;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

import io.gator.fault.Evidence.Run;
import io.gator.fault.Evidence.Transition;
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
			next(list, index, killed).ifPresent((next) -> {
				double recovered = seconds(lastDeath(run.job, killed, next), next, run.worker);
				this.report.killedRecovery.add(recovered);
				if (recovered > 5) {
					this.report.note("slow: job " + run.job + " killed at " + killed / 1_000_000 + ", " + list + " "
							+ this.evidence.transitions(run.job));
				}
			});
		}
	}

	/**
	 * A process that takes a job over may be killed itself before it starts it. Then it
	 * is this death that had to be noticed.
	 */
	private long lastDeath(long job, long killed, long next) {
		long last = killed;
		long claimed = next;
		for (Transition transition : this.evidence.transitions(job)) {
			if (transition.at() > killed && transition.at() < next) {
				last = Math.max(last, deathBetween(claimed, transition.at()));
				claimed = (transition.worker() != 0) ? transition.at() : next;
			}
		}
		return last;
	}

	private long deathBetween(long from, long to) {
		return this.cluster.workers()
			.stream()
			.mapToLong(WorkerProcess::killedAt)
			.filter((killed) -> killed > from && killed < to)
			.max()
			.orElse(0);
	}

	/** The same, where the process stood still for longer than its leases. */
	private void fromFreezes(List<Run> list, int index) {
		Run run = list.get(index);
		for (WorkerProcess.Span span : run.worker.freezes()) {
			boolean away = span.nanos() > this.cluster.settings().lease().toNanos();
			if (away && run.start < span.from() && run.end > span.to()) {
				next(list, index, span.from())
					.ifPresent((next) -> this.report.frozenRecovery.add(seconds(span.from(), next, run.worker)));
			}
		}
	}

	/** When a job ran next, or when it ended where it did not. */
	private OptionalLong next(List<Run> list, int index, long from) {
		if (index + 1 < list.size()) {
			return OptionalLong.of(list.get(index + 1).start);
		}
		return this.evidence.transitions(list.get(index).job)
			.stream()
			.filter((transition) -> transition.isEnd() && transition.at() > from)
			.mapToLong(Transition::at)
			.findFirst();
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
