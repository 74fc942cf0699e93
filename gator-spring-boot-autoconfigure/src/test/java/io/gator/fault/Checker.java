package io.gator.fault;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.gator.fault.Evidence.Run;
import io.gator.fault.Evidence.Transition;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Compares the journals with the tables, after the faults have stopped and the queue is
 * drained.
 */
final class Checker {

	/** Two clocks and the way to a trigger. */
	private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

	private static final Map<String, Integer> MAX_STARTS = Map.of("Work", 41, "Effect", 41, "Fragile", 3, "Poison", 3);

	private final Cluster cluster;

	private final Report report = new Report();

	private final Operations operations;

	private final Evidence evidence;

	Checker(Cluster cluster) {
		this.cluster = cluster;
		this.operations = new Operations(cluster.workers());
		this.evidence = new Evidence(cluster, this.operations);
	}

	Report check() {
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
		new Recovery(this.cluster, this.evidence, this.report).measure();
		counts();
		return this.report;
	}

	private JdbcClient jdbc() {
		return this.cluster.database().jdbc();
	}

	private void nothingIsLost() {
		this.evidence.dispatched().forEach((job, how) -> {
			if (how.equals("acked") && this.evidence.transitions(job).stream().noneMatch(Transition::isEnd)) {
				this.report.lost++;
				this.report.violation("lost",
						"job " + job + " (" + this.evidence.names().get(job) + ") " + this.evidence.transitions(job));
			}
		});
	}

	private void nothingRanThatWasNotDispatched() {
		for (long job : this.evidence.runs().keySet()) {
			String how = this.evidence.dispatched().getOrDefault(job, "never dispatched");
			if (!how.equals("acked") && !how.equals("unknown")) {
				this.report.violation("ran without dispatch", "job " + job + " was " + how);
			}
		}
	}

	private void runsOverlapOnlyWhereTheLeaseHadEnded() {
		long lease = this.cluster.settings().lease().toNanos();
		this.evidence.runs().forEach((job, list) -> {
			for (int i = 0; i < list.size(); i++) {
				Run first = list.get(i);
				for (int j = i + 1; j < list.size(); j++) {
					Run second = list.get(j);
					if (second.start < first.end) {
						this.report.overlaps++;
						boolean cutOff = Stream
							.concat(first.worker.isolated().stream(), this.evidence.stalls().get(first.worker).stream())
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
		this.evidence.transitions().forEach((job, list) -> {
			long last = -1;
			for (Transition transition : list) {
				if (transition.lease() < last) {
					this.report.violation("lease went back", "job " + job + ": " + list);
				}
				boolean moved = transition.what().equals("update") && transition.oldWorker() != transition.worker();
				if (moved && transition.lease() <= transition.oldLease()) {
					this.report.violation("lease did not grow", "job " + job + ": " + transition);
				}
				last = transition.lease();
			}
		});
	}

	private void oneEndEach() {
		this.evidence.transitions().forEach((job, list) -> {
			if (list.stream().filter(Transition::isEnd).count() > 1) {
				this.report.violation("two ends", "job " + job + ": " + list);
			}
		});
	}

	private void startsAreBounded() {
		this.evidence.runs().forEach((job, list) -> {
			int most = MAX_STARTS.getOrDefault(this.evidence.names().getOrDefault(job, "Work"), 41);
			// A release gives the attempt back: its run did not count.
			long released = this.evidence.transitions(job)
				.stream()
				.filter((transition) -> transition.what().equals("update")
						&& transition.attempts() < transition.oldAttempts())
				.count();
			if (list.size() > most + released) {
				this.report.violation("too many starts", "job " + job + ": " + list);
			}
		});
		this.evidence.transitions().forEach((job, list) -> {
			int most = MAX_STARTS.getOrDefault(this.evidence.names().getOrDefault(job, "Work"), 41);
			list.stream()
				.filter((transition) -> transition.isEnd() && transition.attempts() > most)
				.forEach((transition) -> this.report.violation("too many attempts", "job " + job + ": " + transition));
		});
	}

	private void effectsMatch() {
		Map<Long, Integer> effects = new HashMap<>();
		jdbc().sql("select job, count(*) from fault_effect group by job").query((row) -> {
			effects.put(row.getLong(1), row.getInt(2));
		});
		this.evidence.names().forEach((job, name) -> {
			if (name.equals("Effect")) {
				boolean succeeded = this.evidence.transitions(job)
					.stream()
					.anyMatch((transition) -> transition.what().equals("SUCCEEDED"));
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
		this.evidence.transitions().forEach((job, list) -> {
			for (Transition end : list) {
				if (end.what().equals("SUCCEEDED")) {
					Run run = this.evidence.runs(job)
						.stream()
						.filter((each) -> each.lease == end.lease())
						.findFirst()
						.orElse(null);
					if (run == null || !"ok".equals(run.outcome) || run.end > end.at() + TOLERANCE) {
						this.report.violation("success of somebody else",
								"job " + job + " " + end + " by " + run + " of " + this.evidence.runs(job));
					}
				}
			}
		});
	}

	private void nothingStartedEarly() {
		this.evidence.transitions().forEach((job, list) -> {
			Long due = list.get(0).due();
			List<Run> started = this.evidence.runs(job);
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
		this.evidence.runs().values().stream().flatMap(List::stream).forEach((run) -> {
			if (run.outcome == null) {
				this.report.violation("left running at shutdown", run.toString());
			}
		});
		this.evidence.transitions().forEach((job, list) -> list.stream().filter(Transition::isEnd).forEach((end) -> {
			long failed = this.evidence.runs(job).stream().filter((run) -> "failed".equals(run.outcome)).count();
			if (end.attempts() > failed + 1) {
				this.report.violation("charged for a shutdown", "job " + job + ": " + list);
			}
		}));
	}

	private void counts() {
		this.report.late = this.evidence.late();
		this.report.jobs = this.evidence.dispatched().size();
		Map<String, Integer> states = new TreeMap<>();
		this.evidence.transitions()
			.values()
			.forEach((list) -> list.stream().filter(Transition::isEnd).forEach((end) -> {
				states.merge(end.what(), 1, Integer::sum);
			}));
		Map<String, Integer> sent = new TreeMap<>();
		this.evidence.dispatched().values().forEach((how) -> sent.merge(how, 1, Integer::sum));
		this.report.count("jobs", this.evidence.dispatched().size() + " " + sent);
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

}
