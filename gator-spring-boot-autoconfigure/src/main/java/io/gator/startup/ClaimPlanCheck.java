package io.gator.startup;

import java.util.List;
import java.util.stream.Stream;

/**
 * A claim must find its jobs by the two indexes, however many jobs there are. Without one
 * of these it walks another index, such as the primary key, past all jobs that it does
 * not want.
 */
final class ClaimPlanCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		// Behind a pooler the engine's settings of the planner are missing, and the
		// planner may rightly read a small table as a whole.
		if (facts.pooled() || facts.claimPlan().isEmpty()) {
			return List.of();
		}
		String plan = String.join("\n", facts.claimPlan());
		return Stream.of("gator_job_ready", "gator_job_due")
			.filter((index) -> !plan.contains(index))
			.map((index) -> "A claim would not use the index " + index + ", and will become slow with many jobs. "
					+ "Check that it exists and is valid (\\d gator_job) and that enable_indexscan is on, and run "
					+ "'analyze gator_job'.")
			.toList();
	}

}
