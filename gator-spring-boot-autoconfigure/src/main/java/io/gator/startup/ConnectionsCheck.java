package io.gator.startup;

import java.util.ArrayList;
import java.util.List;

import io.gator.worker.PoolSettings;

/**
 * Handlers take their connections from the application's pool; the engine has its own.
 */
final class ConnectionsCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		List<String> found = new ArrayList<>();
		int slots = facts.pools().stream().mapToInt(PoolSettings::concurrency).sum();
		int connections = facts.applicationConnections();
		if (connections > 0 && connections < slots) {
			found.add("The connection pool has at most " + connections + " connections, and " + slots
					+ " jobs run at once: those that use the database will wait for each other"
					+ (facts.transactional() ? ", and transactional jobs hold theirs while they run" : "")
					+ ". Raise spring.datasource.hikari.maximum-pool-size or lower the concurrency of a pool.");
		}
		int most = number(facts.setting("max_connections")) - number(facts.setting("superuser_reserved_connections"));
		int own = Math.max(0, connections) + facts.engineConnections();
		if (most > 0 && own > most) {
			found.add("This process may open " + own + " connections (" + connections + " of the application, "
					+ facts.engineConnections() + " of Gator), and the server takes " + most
					+ " in all. Make the pools smaller or raise max_connections.");
		}
		return found;
	}

	private static int number(String setting) {
		try {
			return Integer.parseInt(setting);
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

}
