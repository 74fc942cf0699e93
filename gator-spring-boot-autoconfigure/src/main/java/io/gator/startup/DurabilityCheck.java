package io.gator.startup;

import java.util.ArrayList;
import java.util.List;

/**
 * A server that does not write what it has committed loses jobs when it crashes.
 */
final class DurabilityCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		List<String> found = new ArrayList<>();
		if (facts.isOff("fsync")) {
			found.add("The server runs with fsync=off: a crash can destroy the whole database. Set fsync=on.");
		}
		if (facts.isOff("full_page_writes")) {
			found.add("The server runs with full_page_writes=off: a crash can destroy pages. Set full_page_writes=on, "
					+ "unless the file system writes pages as a whole.");
		}
		if (facts.isOff("synchronous_commit")) {
			found.add("Transactions commit with synchronous_commit=off: a crash can take back jobs whose dispatch has "
					+ "returned. Set synchronous_commit=on for this database and user.");
		}
		return found;
	}

}
