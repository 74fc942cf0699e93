package io.gator.startup;

import java.util.ArrayList;
import java.util.List;

/**
 * Every job leaves a dead row behind, and only vacuum takes it away.
 */
final class AutovacuumCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		List<String> found = new ArrayList<>();
		if (facts.isOff("autovacuum")) {
			found.add("The server runs with autovacuum=off: the tables will only grow. Set autovacuum=on.");
		}
		if (facts.isOff("track_counts")) {
			found.add("The server runs with track_counts=off, without which autovacuum never begins. Set "
					+ "track_counts=on.");
		}
		for (String table : facts.server().withoutAutovacuum()) {
			found.add("Autovacuum is switched off for " + table + ", which will only grow. Run 'alter table " + table
					+ " reset (autovacuum_enabled)'.");
		}
		return found;
	}

}
