package io.gator.worker;

import java.time.Duration;
import java.util.Map;

/**
 * The settings of a pool, of which a test names those that matter to it.
 */
final class TestSettings {

	private final int slots;

	private String name = "test";

	private Map<String, Integer> queues = Map.of();

	private boolean strict;

	private Duration pollInterval = Duration.ofSeconds(1);

	private Duration prefetch = Duration.ZERO;

	private Duration heartbeat = Duration.ofSeconds(1);

	private Duration lease = Duration.ofSeconds(30);

	private Duration shutdownTimeout = Duration.ofSeconds(1);

	private boolean virtualThreads;

	private TestSettings(int slots) {
		this.slots = slots;
	}

	static TestSettings slots(int slots) {
		return new TestSettings(slots);
	}

	TestSettings name(String name) {
		this.name = name;
		return this;
	}

	TestSettings queues(Map<String, Integer> queues) {
		this.queues = queues;
		return this;
	}

	TestSettings strict(boolean strict) {
		this.strict = strict;
		return this;
	}

	TestSettings pollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
		return this;
	}

	TestSettings prefetch(Duration prefetch) {
		this.prefetch = prefetch;
		return this;
	}

	TestSettings heartbeat(Duration heartbeat) {
		this.heartbeat = heartbeat;
		return this;
	}

	TestSettings lease(Duration lease) {
		this.lease = lease;
		return this;
	}

	TestSettings shutdownTimeout(Duration shutdownTimeout) {
		this.shutdownTimeout = shutdownTimeout;
		return this;
	}

	TestSettings virtualThreads(boolean virtualThreads) {
		this.virtualThreads = virtualThreads;
		return this;
	}

	PoolSettings get() {
		return new PoolSettings(this.name, this.slots, this.queues, this.strict, this.pollInterval, this.prefetch,
				this.heartbeat, this.lease, this.shutdownTimeout, this.virtualThreads);
	}

}
