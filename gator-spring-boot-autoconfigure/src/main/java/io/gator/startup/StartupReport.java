package io.gator.startup;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.gator.routing.RecurringSpec;
import io.gator.routing.RetryRule;
import io.gator.routing.Route;
import io.gator.worker.PoolSettings;

/**
 * Says in one log line of several rows what was found.
 */
final class StartupReport {

	private StartupReport() {
	}

	/**
	 * Write the report.
	 * @param routes the jobs
	 * @param facts what else there is to know
	 * @return a text of several lines
	 */
	static String of(List<Route> routes, StartupFacts facts) {
		StringBuilder report = new StringBuilder("Gator: ");
		report.append(routes.size()).append((routes.size() == 1) ? " job" : " jobs");
		String version = facts.server().schemaVersion();
		report.append(", schema version ").append((version != null) ? version : "unknown");
		report.append(", PostgreSQL ").append(facts.setting("server_version"));
		if (!facts.pools().isEmpty()) {
			report.append(", woken by ").append(wakeUp(facts));
		}
		report.append(", ").append(facts.engineConnections()).append(" connections of its own at most");
		routes.stream().sorted(Comparator.comparing(Route::name)).forEach((route) -> {
			job(route, report);
			unserved(route, facts.pools(), report);
		});
		if (facts.pools().isEmpty()) {
			report.append("\n  no pool: this process only dispatches");
		}
		facts.pools().forEach((pool) -> pool(pool, report));
		return report.toString();
	}

	private static String wakeUp(StartupFacts facts) {
		return (facts.listens() && !facts.pooled()) ? "notifications and polling" : "polling alone";
	}

	private static void job(Route route, StringBuilder report) {
		report.append("\n  job ").append(route.name());
		if (!route.aliases().isEmpty()) {
			report.append(" (also ").append(String.join(", ", route.aliases())).append(')');
		}
		report.append(" on queue ").append(route.queue()).append(", ").append(retry(route.retry()));
		if (route.buffered() != null) {
			report.append(", in batches of ").append(route.buffered().size());
		}
		RecurringSpec recurring = route.recurring();
		if (recurring != null) {
			report.append((recurring.cron() != null) ? ", recurring at " : ", recurring every ")
				.append(recurring.schedule());
		}
		if (route.transactional()) {
			report.append(", transactional");
		}
	}

	/**
	 * Notes that no pool of this process serves the queue of a job, or that of its
	 * retries. Other processes may serve it, but an application that lists the queues of
	 * its pools and forgets one would search long for the reason why the job does not
	 * run.
	 */
	private static void unserved(Route route, List<PoolSettings> pools, StringBuilder report) {
		if (!isServed(route.queue(), pools)) {
			report.append("; no pool of this process serves this queue");
		}
		String retries = route.retry().queue();
		if (retries != null && !retries.equals(route.queue()) && !isServed(retries, pools)) {
			report.append("; no pool of this process serves the queue of its retries, ").append(retries);
		}
	}

	private static boolean isServed(String queue, List<PoolSettings> pools) {
		return pools.isEmpty() || pools.stream().anyMatch((pool) -> pool.serves(queue));
	}

	private static String retry(RetryRule rule) {
		if (rule.unlimited()) {
			return "retried without limit";
		}
		return switch (rule.maxRetries()) {
			case 0 -> "not retried";
			case 1 -> "retried once";
			default -> "retried up to " + rule.maxRetries() + " times";
		};
	}

	private static void pool(PoolSettings pool, StringBuilder report) {
		report.append("\n  pool ")
			.append(pool.name())
			.append(": ")
			.append(pool.concurrency())
			.append(pool.virtualThreads() ? " virtual slot" : " slot")
			.append((pool.concurrency() == 1) ? ", " : "s, ")
			.append(queues(pool));
	}

	private static String queues(PoolSettings pool) {
		if (pool.queues().isEmpty()) {
			return "all queues, equally";
		}
		return (pool.strict() ? "queues in this order " : "queues by weight ") + pool.queues()
			.entrySet()
			.stream()
			.map((each) -> pool.strict() ? each.getKey() : each.getKey() + "=" + each.getValue())
			.collect(Collectors.joining(", "));
	}

}
