package io.gator.fault;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Compares the journals with the tables, after the faults have stopped and the queue is
 * drained.
 */
final class Checker {

	/**
	 * For how long a worker believes no free lock after beats of its own were missing.
	 */
	private static final long STEADY = TimeUnit.SECONDS.toNanos(10);

	/** What makes its beats be missing. */
	private static final long LONG_STALL = TimeUnit.MILLISECONDS.toNanos(1500);

	/** Two clocks and the way to a trigger. */
	private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

	private static final Map<String, Integer> MAX_STARTS = Map.of("Work", 41, "Effect", 41, "Fragile", 3, "Poison", 3);

	private static final Set<String> OUTCOMES = Set.of("acked", "rolledback", "unknown");

	private final Cluster cluster;

	private final Report report = new Report();

	private final Operations operations;

	/** The wall clock minus the monotonic one. */
	private final long offset;

	private final Map<WorkerProcess, List<WorkerProcess.Span>> stalls = new IdentityHashMap<>();

	private final Map<Long, String> dispatched = new HashMap<>();

	private final Map<Long, String> names = new HashMap<>();

	private final Map<Long, List<Run>> runs = new TreeMap<>();

	private final Map<Long, List<Transition>> transitions = new HashMap<>();

	Checker(Cluster cluster) {
		this.cluster = cluster;
		this.operations = new Operations(cluster.workers());
		this.offset = offset();
		cluster.workers().forEach((worker) -> this.stalls.put(worker, worker.stalls()));
	}

	private static long offset() {
		while (true) {
			long before = System.nanoTime();
			Instant now = Instant.now();
			long after = System.nanoTime();
			// Not if this thread was held up between the two.
			if (after - before < TOLERANCE / 10) {
				return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - after;
			}
		}
	}

	Report check() {
		readDispatches();
		readRuns();
		readTransitions();
		nothingIsLost();
		nothingRanThatWasNotDispatched();
		runsOverlapOnlyWhereTheLeaseHadEnded();
		leasesOnlyGrow();
		oneEndEach();
		this.operations.check(this.report);
		startsAreBounded();
		effectsMatch();
		successesWereRun();
		nothingStartedEarly();
		nothingIsLeftOpen();
		shutdownsAreFree();
		recoveries();
		resumptions();
		counts();
		return this.report;
	}

	private void readDispatches() {
		readDispatches(this.cluster.producer().journal());
		this.cluster.workers().forEach((worker) -> readDispatches(worker.journal()));
		this.operations.unknownIds().forEach((job) -> this.dispatched.put(job, "unknown"));
		this.report.jobs = this.dispatched.size();
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
					case "LATE" -> this.report.late += (int) entry.number(0);
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
		jdbc()
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

	private JdbcClient jdbc() {
		return this.cluster.database().jdbc();
	}

	private List<Transition> of(long job) {
		return this.transitions.getOrDefault(job, List.of());
	}

	private void nothingIsLost() {
		this.dispatched.forEach((job, how) -> {
			if (how.equals("acked") && of(job).stream().noneMatch(Transition::isEnd)) {
				this.report.lost++;
				this.report.violation("lost", "job " + job + " (" + this.names.get(job) + ") " + of(job));
			}
		});
	}

	private void nothingRanThatWasNotDispatched() {
		for (long job : this.runs.keySet()) {
			String how = this.dispatched.getOrDefault(job, "never dispatched");
			if (!how.equals("acked") && !how.equals("unknown")) {
				this.report.violation("ran without dispatch", "job " + job + " was " + how);
			}
		}
	}

	private void runsOverlapOnlyWhereTheLeaseHadEnded() {
		long lease = this.cluster.settings().lease().toNanos();
		this.runs.forEach((job, list) -> {
			for (int i = 0; i < list.size(); i++) {
				Run first = list.get(i);
				for (int j = i + 1; j < list.size(); j++) {
					Run second = list.get(j);
					if (second.start < first.end) {
						this.report.overlaps++;
						boolean cutOff = Stream
							.concat(first.worker.isolated().stream(), this.stalls.get(first.worker).stream())
							.anyMatch((span) -> span.nanos() >= lease / 2 && span.from() < second.start
									&& span.to() > first.start);
						if (!cutOff) {
							this.report.violation("overlap", "job " + job + ": " + first + " and " + second);
						}
					}
					if (second.lease == first.lease) {
						this.report.violation("one lease, two runs", "job " + job + ": " + first + " and " + second);
					}
				}
			}
			if (list.size() > 1) {
				this.report.duplicates += list.size() - 1;
			}
		});
	}

	private void leasesOnlyGrow() {
		this.transitions.forEach((job, list) -> {
			long last = -1;
			for (Transition transition : list) {
				if (transition.lease < last) {
					this.report.violation("lease went back", "job " + job + ": " + list);
				}
				boolean moved = transition.what.equals("update") && transition.oldWorker != transition.worker;
				if (moved && transition.lease <= transition.oldLease) {
					this.report.violation("lease did not grow", "job " + job + ": " + transition);
				}
				last = transition.lease;
			}
		});
	}

	private void oneEndEach() {
		this.transitions.forEach((job, list) -> {
			if (list.stream().filter(Transition::isEnd).count() > 1) {
				this.report.violation("two ends", "job " + job + ": " + list);
			}
		});
	}

	private void startsAreBounded() {
		this.runs.forEach((job, list) -> {
			int most = MAX_STARTS.getOrDefault(this.names.getOrDefault(job, "Work"), 41);
			// A release gives the attempt back: its run did not count.
			long released = of(job).stream()
				.filter((transition) -> transition.what.equals("update")
						&& transition.attempts < transition.oldAttempts)
				.count();
			if (list.size() > most + released) {
				this.report.violation("too many starts", "job " + job + ": " + list);
			}
		});
		this.transitions.forEach((job, list) -> {
			int most = MAX_STARTS.getOrDefault(this.names.getOrDefault(job, "Work"), 41);
			list.stream()
				.filter((transition) -> transition.isEnd() && transition.attempts > most)
				.forEach((transition) -> this.report.violation("too many attempts", "job " + job + ": " + transition));
		});
	}

	private void effectsMatch() {
		Map<Long, Integer> effects = new HashMap<>();
		jdbc().sql("select job, count(*) from fault_effect group by job").query((row) -> {
			effects.put(row.getLong(1), row.getInt(2));
		});
		this.names.forEach((job, name) -> {
			if (name.equals("Effect")) {
				boolean succeeded = of(job).stream().anyMatch((transition) -> transition.what.equals("SUCCEEDED"));
				int count = effects.getOrDefault(job, 0);
				if (count != (succeeded ? 1 : 0)) {
					this.report.violation("effects",
							"job " + job + (succeeded ? " succeeded" : " did not succeed") + ", effects: " + count);
				}
			}
		});
		this.report.count("effects", effects.size());
	}

	private void successesWereRun() {
		this.transitions.forEach((job, list) -> {
			for (Transition end : list) {
				if (end.what.equals("SUCCEEDED")) {
					Run run = this.runs.getOrDefault(job, List.of())
						.stream()
						.filter((each) -> each.lease == end.lease)
						.findFirst()
						.orElse(null);
					if (run == null || !"ok".equals(run.outcome) || run.end > end.at + TOLERANCE) {
						this.report.violation("success of somebody else",
								"job " + job + " " + end + " by " + run + " of " + this.runs.get(job));
					}
				}
			}
		});
	}

	private void nothingStartedEarly() {
		this.transitions.forEach((job, list) -> {
			Long due = list.get(0).due;
			List<Run> started = this.runs.getOrDefault(job, List.of());
			if (due != null && !started.isEmpty() && started.get(0).start < due - TOLERANCE) {
				this.report.violation("early",
						"job " + job + " by " + (due - started.get(0).start) / 1_000_000 + " ms");
			}
		});
	}

	private void nothingIsLeftOpen() {
		int reserved = jdbc().sql("select count(*) from gator_job where reserved_by is not null")
			.query(Integer.class)
			.single();
		if (reserved > 0) {
			this.report.violation("left running", reserved + " jobs");
		}
		int open = jdbc()
			.sql("select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'")
			.query(Integer.class)
			.single();
		if (open > 0) {
			this.report.violation("left in transaction", open + " sessions");
		}
	}

	/**
	 * A process that is asked to end leaves nothing running, and what it gives back is
	 * not charged.
	 */
	private void shutdownsAreFree() {
		if (this.cluster.terminations() == 0) {
			return;
		}
		this.runs.values().stream().flatMap(List::stream).forEach((run) -> {
			if (run.outcome == null) {
				this.report.violation("left running at shutdown", run.toString());
			}
		});
		this.transitions.forEach((job, list) -> list.stream().filter(Transition::isEnd).forEach((end) -> {
			long failed = this.runs.getOrDefault(job, List.of())
				.stream()
				.filter((run) -> "failed".equals(run.outcome))
				.count();
			if (end.attempts > failed + 1) {
				this.report.violation("charged for a shutdown", "job " + job + ": " + list);
			}
		}));
	}

	/**
	 * How long the jobs that were running in a process took to start elsewhere, from when
	 * it was killed or frozen.
	 */
	private void recoveries() {
		this.runs.forEach((job, list) -> {
			for (int i = 0; i < list.size(); i++) {
				Run run = list.get(i);
				WorkerProcess worker = run.worker;
				if (worker.killedAt() > 0 && run.outcome == null && run.end == worker.killedAt()
						&& !isUnsteady(worker.killedAt(), worker)) {
					double recovered = recovered(run, list, i, worker.killedAt());
					if (recovered >= 0) {
						this.report.killedRecovery.add(recovered);
						if (recovered > 5) {
							this.report.note("slow: job " + job + " killed at " + worker.killedAt() / 1_000_000 + ", "
									+ list + " " + of(job));
						}
					}
				}
				for (WorkerProcess.Span span : worker.freezes()) {
					boolean away = span.nanos() > this.cluster.settings().lease().toNanos();
					if (away && run.start < span.from() && run.end > span.to()) {
						double recovered = recovered(run, list, i, span.from());
						if (recovered >= 0) {
							this.report.frozenRecovery.add(recovered);
						}
					}
				}
			}
		});
	}

	private double recovered(Run run, List<Run> list, int index, long from) {
		if (index + 1 < list.size()) {
			return seconds(from, list.get(index + 1).start, run.worker);
		}
		return of(run.job).stream()
			.filter((transition) -> transition.isEnd() && transition.at > from)
			.mapToDouble((transition) -> seconds(from, transition.at, run.worker))
			.findFirst()
			.orElse(-1);
	}

	/**
	 * Whether another worker stood still for so long about that time that it has not
	 * believed free locks.
	 */
	private boolean isUnsteady(long time, WorkerProcess but) {
		return this.stalls.entrySet()
			.stream()
			.filter((each) -> each.getKey() != but)
			.flatMap((each) -> each.getValue().stream())
			.anyMatch((span) -> span.nanos() > LONG_STALL && span.from() - time < STEADY && time - span.to() < STEADY);
	}

	/** What the machine let the workers that matter do nothing in does not count. */
	private double seconds(long from, long to, @Nullable WorkerProcess but) {
		long stalled = 0;
		for (Map.Entry<WorkerProcess, List<WorkerProcess.Span>> each : this.stalls.entrySet()) {
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
			this.runs.values()
				.stream()
				.flatMap(List::stream)
				.filter((run) -> run.start > returned)
				.mapToLong((run) -> run.start)
				.min()
				.ifPresent((first) -> this.report.resumed.add(seconds(returned, first, null)));
		}
	}

	private void counts() {
		Set<String> ends = new HashSet<>();
		Map<String, Integer> states = new TreeMap<>();
		this.transitions.values().forEach((list) -> list.stream().filter(Transition::isEnd).forEach((end) -> {
			ends.add(end.what);
			states.merge(end.what, 1, Integer::sum);
		}));
		Map<String, Integer> sent = new TreeMap<>();
		this.dispatched.values().forEach((how) -> sent.merge(how, 1, Integer::sum));
		this.report.count("jobs", this.dispatched.size() + " " + sent);
		this.report.count("ends", states);
		this.report.count("kills", this.cluster.kills());
		this.report.count("halts", this.cluster.halts());
		this.report.count("terminations", this.cluster.terminations());
		this.report.count("freezes", this.cluster.freezes());
		this.report.count("cuts", this.cluster.cuts());
		this.report.count("restarts", this.cluster.restarts());
		this.report.count("lost", this.report.lost);
		this.report.count("runs more than one a job", this.report.duplicates);
		this.report.count("overlaps",
				this.report.overlaps + " (without lease end: " + this.report.kinds().getOrDefault("overlap", 0) + ")");
		this.report.count("late results dropped", this.report.late);
	}

	private static final class Run {

		private final WorkerProcess worker;

		private final long job;

		private final long lease;

		private final long start;

		private long end = Long.MAX_VALUE;

		private String outcome;

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

	private record Transition(String what, long job, long oldLease, long lease, int oldAttempts, int attempts,
			long oldWorker, long worker, long at, Long due) {

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
