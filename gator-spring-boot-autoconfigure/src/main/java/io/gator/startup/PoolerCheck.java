package io.gator.startup;

import java.util.List;

/**
 * Behind a pooler sessions mean nothing, so there are no notifications, and no locks that
 * quickly show that a process is gone. A process that only dispatches needs neither.
 */
final class PoolerCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		if (!facts.pooled() || !facts.listens() || facts.pools().isEmpty()) {
			return List.of();
		}
		return List
			.of("A connection pooler such as PgBouncer stands between the application and PostgreSQL: jobs of other "
					+ "processes are found by polling alone, and those of killed processes when their lease is over. That "
					+ "works; to say that it is intended, set gator.worker.wake-up=poll, and choose gator.worker.poll-interval "
					+ "and lease accordingly.");
	}

}
