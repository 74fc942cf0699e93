package io.gator.startup;

import java.util.List;
import java.util.stream.Stream;

/**
 * A claim must find its jobs in the two indexes, however many there are. Without one of
 * them it walks another index, the primary key say, past all that is not its business.
 */
final class ClaimPlanCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		// Behind a pooler the planner is as the server sets it up, which may walk a small
		// table, and rightly so.
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
