package io.gator.startup;

import java.util.List;

/**
 * Looks for one kind of harm.
 */
@FunctionalInterface
public interface StartupCheck {

	/**
	 * Look.
	 * @param facts what to look at
	 * @return what is wrong, with what to do about it; empty if nothing is
	 */
	List<String> check(StartupFacts facts);

	/**
	 * All checks.
	 * @return the checks
	 */
	static List<StartupCheck> all() {
		return List.of(new DurabilityCheck(), new ClaimPlanCheck(), new AutovacuumCheck(), new ConnectionsCheck(),
				new ShutdownCheck(), new PoolerCheck(), new ClockCheck(), new EncodingCheck());
	}

}
