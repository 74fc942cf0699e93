package io.gator.startup;

import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;

import io.gator.store.InsightStore.ServerFacts;
import io.gator.worker.PoolSettings;

/**
 * What checks look at.
 *
 * @param server how the server and the tables are set up
 * @param claimPlan the lines of the plan of a claim
 * @param pools the pools of this process
 * @param transactional whether there is a job that runs in a transaction
 * @param applicationConnections the most connections of the application's connection
 * pool, 0 if that is not known
 * @param engineConnections the most connections of the engine
 * @param pooled whether there is a pooler between here and the server
 * @param listens whether the pools of this process are to listen for notifications
 * @param springShutdown how long Spring waits for a phase of the shutdown
 * @param charset the charset of this JVM
 * @param clockDifference how far this machine's clock is ahead of the server's
 */
public record StartupFacts(ServerFacts server, List<String> claimPlan, List<PoolSettings> pools, boolean transactional,
		int applicationConnections, int engineConnections, boolean pooled, boolean listens, Duration springShutdown,
		Charset charset, Duration clockDifference) {

	String setting(String name) {
		return this.server.settings().getOrDefault(name, "");
	}

	boolean isOff(String name) {
		return setting(name).equals("off");
	}

}
