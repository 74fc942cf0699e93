package io.gator.startup;

import java.util.List;

/**
 * A claim must find its jobs in the two indexes, however many there are.
 */
final class ClaimPlanCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		if (facts.claimPlan().isEmpty()) {
			return List.of();
		}
		// The rows to update are found by ctid; on a small table that may be a scan all
		// the same, which costs nothing and says nothing.
		String plan = String.join("\n", facts.claimPlan());
		boolean indexed = plan.contains("gator_job_due") && !plan.contains("Seq Scan on gator_job j_");
		if (indexed) {
			return List.of();
		}
		return List.of("A claim would not use the indexes gator_job_ready and gator_job_due, and will become slow with "
				+ "many jobs. Look whether both exist and are valid (\\d gator_job), whether enable_indexscan is on, and run "
				+ "'analyze gator_job'.");
	}

}
