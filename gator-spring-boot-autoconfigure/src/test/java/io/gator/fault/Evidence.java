package io.gator.fault;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What the journals and the tables say of each job: how it was dispatched, when it ran,
 * and what became of its row.
 */
final class Evidence {

	/** How a dispatch ended. */
	private static final Set<String> OUTCOMES = Set.of("acked", "rolledback", "unknown");

	/** How far a reading of the two clocks may be from the truth. */
	private static final long CLOCKS = TimeUnit.MILLISECONDS.toNanos(10);

	private final Cluster cluster;

	/** The wall clock minus the monotonic one. */
	private final long offset = offset();

	private final Map<Long, String> dispatched = new HashMap<>();

	private final Map<Long, String> names = new HashMap<>();

	private final Map<Long, List<Run>> runs = new TreeMap<>();

	private final Map<Long, List<Transition>> transitions = new HashMap<>();

	private final Map<WorkerProcess, List<WorkerProcess.Span>> stalls = new IdentityHashMap<>();

	private int late;

	Evidence(Cluster cluster, Operations operations) {
		this.cluster = cluster;
		readDispatches(cluster.producer().journal());
		cluster.workers().forEach((worker) -> readDispatches(worker.journal()));
		operations.unknownIds().forEach((job) -> this.dispatched.put(job, "unknown"));
		readRuns();
		readTransitions();
		cluster.workers().forEach((worker) -> this.stalls.put(worker, worker.stalls()));
	}

	private static long offset() {
		while (true) {
			long before = System.nanoTime();
			Instant now = Instant.now();
			long after = System.nanoTime();
			// Not if this thread was held up between the two.
			if (after - before < CLOCKS) {
				return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - after;
			}
		}
	}

	private void readDispatches(List<Journal.Entry> journal) {
		for (Journal.Entry entry : journal) {
			if (OUTCOMES.contains(entry.what())) {
				this.dispatched.put(entry.number(0), entry.what());
				this.names.put(entry.number(0), entry.text(1));
			}
		}
	}

	private void readRuns() {
		for (WorkerProcess worker : this.cluster.workers()) {
			Map<String, Run> open = new HashMap<>();
			for (Journal.Entry entry : worker.journal()) {
				switch (entry.what()) {
					case "START" -> {
						Run run = started(worker, entry, entry.number(1));
						open.put(run.job + ":" + run.lease, run);
					}
					case "RAN" -> {
						Run run = started(worker, entry, entry.number(3));
						run.end = entry.nanos();
						run.outcome = "ok";
					}
					case "END" -> {
						Run run = open.remove(entry.number(0) + ":" + entry.number(1));
						run.end = entry.nanos();
						run.outcome = entry.text(2);
					}
					case "LATE" -> this.late += (int) entry.number(0);
					default -> {
					}
				}
			}
			for (Run run : open.values()) {
				run.end = worker.isAlive() ? Long.MAX_VALUE : worker.killedAt();
			}
		}
		this.runs.values().forEach((list) -> list.sort(Comparator.comparingLong((run) -> run.start)));
	}

	private Run started(WorkerProcess worker, Journal.Entry entry, long lease) {
		Run run = new Run(worker, entry.number(0), lease, entry.nanos());
		this.runs.computeIfAbsent(run.job, (job) -> new ArrayList<>()).add(run);
		return run;
	}

	private void readTransitions() {
		this.cluster.database()
			.jdbc()
			.sql("""
					select what, job, old_lease, lease, old_attempts, attempts, old_worker, worker,
					       (extract(epoch from at) * 1000000)::bigint as at, (extract(epoch from due) * 1000000)::bigint as due
					  from fault_transition
					 order by seq
					""")
			.query((row, number) -> new Transition(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4),
					row.getInt(5), row.getInt(6), row.getLong(7), row.getLong(8), row.getLong(9) * 1000 - this.offset,
					(row.getObject(10) != null) ? row.getLong(10) * 1000 - this.offset : null))
			.list()
			.forEach((transition) -> this.transitions.computeIfAbsent(transition.job, (job) -> new ArrayList<>())
				.add(transition));
	}

	/**
	 * How each job was dispatched: {@code acked}, {@code rolledback} or {@code unknown}.
	 */
	Map<Long, String> dispatched() {
		return this.dispatched;
	}

	/** The name of each job that somebody dispatched. */
	Map<Long, String> names() {
		return this.names;
	}

	/** The runs of each job that ran, the earliest first. */
	Map<Long, List<Run>> runs() {
		return this.runs;
	}

	List<Run> runs(long job) {
		return this.runs.getOrDefault(job, List.of());
	}

	/** What was done to the row of each job, in order. */
	Map<Long, List<Transition>> transitions() {
		return this.transitions;
	}

	List<Transition> transitions(long job) {
		return this.transitions.getOrDefault(job, List.of());
	}

	/** When each worker stood still. */
	Map<WorkerProcess, List<WorkerProcess.Span>> stalls() {
		return this.stalls;
	}

	/** How many results came too late and were dropped. */
	int late() {
		return this.late;
	}

	/** One run of a job. Without an outcome it was cut off. */
	static final class Run {

		final WorkerProcess worker;

		final long job;

		final long lease;

		final long start;

		long end = Long.MAX_VALUE;

		String outcome;

		Run(WorkerProcess worker, long job, long lease, long start) {
			this.worker = worker;
			this.job = job;
			this.lease = lease;
			this.start = start;
		}

		@Override
		public String toString() {
			return "[worker " + this.worker.number() + ", lease " + this.lease + ", from " + this.start / 1_000_000
					+ " to " + this.end / 1_000_000 + ", " + this.outcome + "]";
		}

	}

	/** What one statement did to the row of a job; times are of the monotonic clock. */
	record Transition(String what, long job, long oldLease, long lease, int oldAttempts, int attempts, long oldWorker,
			long worker, long at, Long due) {

		boolean isEnd() {
			return !this.what.equals("insert") && !this.what.equals("update") && !this.what.equals("delete");
		}

		@Override
		public String toString() {
			return "[" + this.what + " lease " + this.oldLease + "→" + this.lease + ", attempts " + this.oldAttempts
					+ "→" + this.attempts + ", worker " + this.oldWorker + "→" + this.worker + ", at "
					+ this.at / 1_000_000 + "]";
		}

	}

}
