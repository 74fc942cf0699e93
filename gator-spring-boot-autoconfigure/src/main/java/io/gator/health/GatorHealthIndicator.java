package io.gator.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.gator.store.InsightStore;
import io.gator.store.StoreException;
import io.gator.worker.PoolStatus;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Down when the database does not answer, when a pool does not beat any more, or when it
 * cannot claim or settle; out of service while pools end, up otherwise. A process without
 * pools only needs the database.
 */
public final class GatorHealthIndicator extends AbstractHealthIndicator {

	private final InsightStore store;

	private final Supplier<List<PoolStatus>> pools;

	/**
	 * Create an indicator.
	 * @param store where to ask whether the database answers
	 * @param pools the pools of this process
	 */
	public GatorHealthIndicator(InsightStore store, Supplier<List<PoolStatus>> pools) {
		super("The health of Gator could not be determined");
		this.store = store;
		this.pools = pools;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		List<PoolStatus> all = this.pools.get();
		boolean reachable = isReachable();
		builder.status(status(all, reachable));
		builder.withDetail("database", reachable ? "reachable" : "unreachable");
		Map<String, Object> details = new LinkedHashMap<>();
		all.forEach((pool) -> details.put(pool.pool(), details(pool)));
		if (!details.isEmpty()) {
			builder.withDetail("pools", details);
		}
	}

	private boolean isReachable() {
		try {
			this.store.ping();
			return true;
		}
		catch (StoreException ex) {
			return false;
		}
	}

	private static Status status(List<PoolStatus> all, boolean reachable) {
		if (!reachable) {
			return Status.DOWN;
		}
		Status status = Status.UP;
		for (PoolStatus pool : all) {
			if (pool.draining() || !pool.running()) {
				status = Status.OUT_OF_SERVICE;
			}
			else if (!beats(pool) || !works(pool)) {
				return Status.DOWN;
			}
		}
		return status;
	}

	/**
	 * A pool that has not beaten yet passes: it has just begun, or {@link #works} sees
	 * its trouble.
	 */
	private static boolean beats(PoolStatus pool) {
		Duration silence = pool.silence();
		return silence == null || silence.compareTo(patience(pool)) <= 0;
	}

	private static boolean works(PoolStatus pool) {
		PoolStatus.Trouble trouble = pool.trouble();
		return trouble == null || trouble.passing() && trouble.duration().compareTo(patience(pool)) <= 0;
	}

	/**
	 * How long a pool may be silent or in trouble: one that is silent for longer has
	 * stopped claiming.
	 */
	private static Duration patience(PoolStatus pool) {
		return pool.lease().dividedBy(2);
	}

	private static Map<String, Object> details(PoolStatus pool) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("state", state(pool));
		details.put("busy", pool.busy());
		details.put("slots", pool.slots());
		if (pool.stuck() > 0) {
			details.put("stuck", pool.stuck());
		}
		Duration silence = pool.silence();
		if (silence != null) {
			details.put("lastBeat", silence.toMillis() + " ms ago");
		}
		return details;
	}

	private static String state(PoolStatus pool) {
		if (pool.draining()) {
			return "draining";
		}
		if (!pool.running()) {
			return "stopped";
		}
		if (!beats(pool)) {
			return "silent";
		}
		if (!works(pool)) {
			return "failing";
		}
		return (pool.trouble() != null) ? "waiting for the database" : "running";
	}

}
