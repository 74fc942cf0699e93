package io.gator.fault;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * What each {@link FaultProducer} meant to dispatch, what it learned of that, and what of
 * it ran. Jobs are known by their numbers: of those that it did not live to hear of, it
 * never saw an id.
 */
final class Operations {

	private final Map<WorkerProcess, List<Operation>> operations = new LinkedHashMap<>();

	/** The ids of the jobs that ran with a number. */
	private final Map<Long, Set<Long>> ran = new HashMap<>();

	Operations(List<WorkerProcess> processes) {
		for (WorkerProcess process : processes) {
			List<Journal.Entry> intended = new ArrayList<>();
			Map<Long, String> outcomes = new HashMap<>();
			for (Journal.Entry entry : process.journal()) {
				switch (entry.what()) {
					case "intended" -> intended.add(entry);
					case "acked", "rolledback" -> {
						// Who dispatches without numbers has no operations.
						if (!intended.isEmpty()) {
							outcomes.put(entry.number(2), entry.what());
						}
					}
					case "RAN" ->
						this.ran.computeIfAbsent(entry.number(1), (number) -> new HashSet<>()).add(entry.number(0));
					default -> {
					}
				}
			}
			if (!intended.isEmpty()) {
				this.operations.put(process,
						intended.stream()
							.map((entry) -> new Operation(entry.number(0), (int) entry.number(1),
									outcomes.getOrDefault(entry.number(0), "unknown")))
							.toList());
			}
		}
	}

	/**
	 * The one in which a process ended.
	 * @param process a process that dispatches
	 * @return the operation of which it never heard
	 */
	Operation unknown(WorkerProcess process) {
		List<Operation> unknown = this.operations.getOrDefault(process, List.of())
			.stream()
			.filter((operation) -> operation.outcome.equals("unknown"))
			.toList();
		if (unknown.size() != 1) {
			throw new IllegalStateException("Not one, but " + unknown + ":\n" + process.log());
		}
		return unknown.get(0);
	}

	/**
	 * How much of an operation ran.
	 * @param operation the operation
	 * @return the number of jobs
	 */
	int there(Operation operation) {
		return operation.numbers().mapToInt((number) -> idsOf(number).size()).sum();
	}

	/**
	 * The jobs that ran though nobody heard of their dispatch.
	 * @return their ids
	 */
	Set<Long> unknownIds() {
		Set<Long> ids = new HashSet<>();
		this.operations.values()
			.stream()
			.flatMap(List::stream)
			.filter((operation) -> operation.outcome.equals("unknown"))
			.flatMapToLong(Operation::numbers)
			.forEach((number) -> ids.addAll(idsOf(number)));
		return ids;
	}

	private Set<Long> idsOf(long number) {
		return this.ran.getOrDefault(number, Set.of());
	}

	/**
	 * What was acknowledged is there, what was rolled back is not, and of the rest
	 * nothing or all.
	 * @param report where to say so
	 */
	void check(Report report) {
		Map<String, Integer> outcomes = new TreeMap<>();
		this.operations.forEach((process, list) -> list.forEach((operation) -> {
			outcomes.merge(operation.outcome, 1, Integer::sum);
			int there = there(operation);
			boolean right = switch (operation.outcome) {
				case "acked" -> there == operation.count;
				case "rolledback" -> there == 0;
				default -> there == 0 || there == operation.count;
			};
			if (!right) {
				report.violation("in part", there + " of " + operation + " of process " + process.number());
			}
		}));
		if (!outcomes.isEmpty()) {
			report.count("operations", outcomes);
		}
	}

	/**
	 * A single job, a transaction, or a bulk.
	 *
	 * @param first the first number
	 * @param count how many jobs
	 * @param outcome what the process learned of it
	 */
	record Operation(long first, int count, String outcome) {

		LongStream numbers() {
			return LongStream.range(this.first, this.first + this.count);
		}

	}

}
