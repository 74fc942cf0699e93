package io.gator.startup;

import java.time.Duration;
import java.util.List;

/**
 * Only the database's clock counts for jobs, but a time that an application computes
 * comes from the clock of its machine.
 */
final class ClockCheck implements StartupCheck {

	private static final Duration TOLERANCE = Duration.ofSeconds(5);

	@Override
	public List<String> check(StartupFacts facts) {
		Duration difference = facts.clockDifference();
		if (difference.abs().compareTo(TOLERANCE) <= 0) {
			return List.of();
		}
		return List.of("The clock of this machine is " + difference.abs().toSeconds() + " s "
				+ (difference.isNegative() ? "behind" : "ahead of") + " that of the database, which alone decides when "
				+ "a job is due: at(time) will be early or late by that much. Synchronise the clocks.");
	}

}
