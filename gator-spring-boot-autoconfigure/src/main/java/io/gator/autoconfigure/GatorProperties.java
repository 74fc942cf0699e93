package io.gator.autoconfigure;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.gator.routing.Names;
import io.gator.store.GatorStores;
import io.gator.worker.MdcKeys;
import io.gator.worker.PoolSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The configuration of Gator.
 *
 * @param enabled whether Gator does anything at all; if not, there is no JobTemplate and
 * no JobAdmin either, so tests usually set gator.worker.enabled instead
 * @param schema the PostgreSQL schema of Gator's tables; created if it does not exist
 * @param migrate whether Gator creates and changes its tables at start-up
 * @param maxPayload the most bytes that the arguments of one job may take as JSON
 * @param statementTimeout how long one of the engine's own statements may take
 * @param retry what follows a failure of jobs without @RetryWith
 * @param history what is kept of jobs that are over
 * @param worker how jobs are run in this process
 * @param startupChecks what to do at start-up about settings that do harm
 * @param observations whether dispatches and attempts are observed, for traces
 * @param mdcKeys keys of the logging context that travel with a job, from the thread that
 * dispatches it to the one that runs it; of each value the first 256 characters
 * @param insight how the figures about queues and tables are kept
 * @param endpoint what the actuator endpoint shows
 */
@ConfigurationProperties("gator")
public record GatorProperties(@DefaultValue("true") boolean enabled, @DefaultValue("public") String schema,
		@DefaultValue("true") boolean migrate, @DefaultValue("1MB") DataSize maxPayload,
		@DefaultValue("10s") Duration statementTimeout, @DefaultValue Retry retry, @DefaultValue History history,
		@DefaultValue Worker worker, @DefaultValue("warn") StartupChecks startupChecks,
		@DefaultValue("auto") Observations observations, @DefaultValue List<String> mdcKeys,
		@DefaultValue Insight insight, @DefaultValue Endpoint endpoint) {

	/**
	 * Check the values.
	 */
	public GatorProperties {
		mdcKeys = List.copyOf(mdcKeys);
		if (!Collections.disjoint(mdcKeys, MdcKeys.ALL)) {
			throw new InvalidPropertyException("gator.mdc-keys", mdcKeys,
					"keys other than " + String.join(", ", MdcKeys.ALL) + ", which are those of the job that runs");
		}
		try {
			GatorStores.validSchema(schema);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidPropertyException("gator.schema", schema,
					"a name of the form [a-z_][a-z0-9_]{0,62}, but not pg_* or information_schema");
		}
		if (maxPayload.toBytes() < 1 || maxPayload.toBytes() > 256L * 1024 * 1024) {
			throw new InvalidPropertyException("gator.max-payload", maxPayload, "1B to 256MB");
		}
		InvalidPropertyException.throwUnlessBetween("gator.statement-timeout", statementTimeout, Duration.ofSeconds(1),
				Duration.ofMinutes(10));
		// Also where no pool is made: such a process is to refuse what another one would.
		PoolSettingsFactory.create(worker, false);
	}

	/**
	 * What follows a failure of jobs without {@code @RetryWith}.
	 *
	 * @param interval the time to the next attempt: exponential, or a duration
	 * @param maxRetries how many times a failed job is started again at most, -1 for no
	 * limit
	 */
	public record Retry(@DefaultValue("exponential") String interval, @DefaultValue("0") int maxRetries) {

		/**
		 * Check the values.
		 */
		public Retry {
			if (maxRetries < -1) {
				throw new InvalidPropertyException("gator.retry.max-retries", maxRetries,
						"-1 (no limit), 0 (no retries) or more");
			}
		}

	}

	/**
	 * What is kept of jobs that are over.
	 *
	 * @param retention how long succeeded and cancelled jobs are kept; 0 keeps no
	 * succeeded jobs
	 */
	public record History(@DefaultValue("1d") Duration retention) {

		/**
		 * Check the values.
		 */
		public History {
			InvalidPropertyException.throwUnlessBetween("gator.history.retention", retention, Duration.ZERO,
					Duration.ofDays(3650));
		}

	}

	/**
	 * How jobs are run in this process.
	 *
	 * @param enabled whether this process runs jobs; if not, it only dispatches them
	 * @param concurrency how many jobs run at once
	 * @param queues queues and their weights, in order of importance; none for all queues
	 * with equal weights, "*" for each that is not named
	 * @param queueOrder how slots are shared among queues
	 * @param pollInterval the longest time between two polls; links of chains, retries
	 * moved to another queue and jobs given back reach other processes by polling only
	 * @param prefetch how much work is claimed ahead of free slots, as a time; twice as
	 * long as a claim takes where that is longer, but no more than ten times as much
	 * @param heartbeat how often a pool says that it is alive
	 * @param lease how long a pool may be silent before its jobs are given to others
	 * @param shutdownTimeout how long running jobs may go on at shutdown
	 * @param wakeUp how a process hears of jobs that others dispatch
	 * @param pools more pools in this process, by name, each with the same keys except
	 * enabled, wake-up and pools; all pools beat as often as the one with the shortest
	 * heartbeat
	 */
	public record Worker(@DefaultValue("true") boolean enabled, @DefaultValue("10") int concurrency,
			@DefaultValue Map<String, Integer> queues, @DefaultValue("weighted") QueueOrder queueOrder,
			@DefaultValue("1s") Duration pollInterval, @DefaultValue("50ms") Duration prefetch,
			@DefaultValue("1s") Duration heartbeat, @DefaultValue("30s") Duration lease,
			@DefaultValue("25s") Duration shutdownTimeout, @DefaultValue("notify") WakeUp wakeUp,
			@DefaultValue Map<String, Pool> pools) {

		/**
		 * The name of the pool that the properties of the worker itself describe.
		 */
		public static final String DEFAULT_POOL = "default";

		/**
		 * Check the values.
		 */
		public Worker {
			queues = new LinkedHashMap<>(queues);
			pools = new LinkedHashMap<>(pools);
			if (pools.containsKey(DEFAULT_POOL)) {
				throw new InvalidPropertyException("gator.worker.pools.default", "set",
						"another name; gator.worker itself is that pool");
			}
			pools.keySet().forEach((pool) -> {
				if (!Names.isValid(pool)) {
					throw new InvalidPropertyException("gator.worker.pools", "'" + pool + "'",
							"names of the form " + Names.FORM);
				}
			});
		}

		/** The queues that any pool names, with their weights. */
		Map<String, Integer> weights() {
			Map<String, Integer> weights = new LinkedHashMap<>();
			this.pools.values().forEach((pool) -> weights.putAll(pool.queues()));
			weights.putAll(this.queues);
			weights.remove(PoolSettings.ALL);
			return weights;
		}

		/** The pool that the properties of the worker itself describe. */
		PoolSettings pool(boolean virtualThreads) {
			return new PoolSettings(DEFAULT_POOL, this.concurrency, this.queues, this.queueOrder == QueueOrder.STRICT,
					this.pollInterval, this.prefetch, this.heartbeat, this.lease, this.shutdownTimeout, virtualThreads);
		}

	}

	/**
	 * One more pool. What is not set is as in gator.worker, except the queues.
	 *
	 * @param concurrency how many jobs run at once
	 * @param queues queues and their weights
	 * @param queueOrder how slots are shared among queues
	 * @param pollInterval the longest time between two polls
	 * @param prefetch how much work is claimed ahead of free slots, as a time
	 * @param heartbeat how often the pool says that it is alive
	 * @param lease how long the pool may be silent before its jobs are given to others
	 * @param shutdownTimeout how long running jobs may go on at shutdown
	 */
	public record Pool(@Nullable Integer concurrency, @DefaultValue Map<String, Integer> queues,
			@Nullable QueueOrder queueOrder, @Nullable Duration pollInterval, @Nullable Duration prefetch,
			@Nullable Duration heartbeat, @Nullable Duration lease, @Nullable Duration shutdownTimeout) {

		/** This pool, which takes from that of the worker what it does not set. */
		PoolSettings pool(String name, PoolSettings worker) {
			boolean strict = (this.queueOrder != null) ? this.queueOrder == QueueOrder.STRICT : worker.strict();
			return new PoolSettings(name, or(this.concurrency, worker.concurrency()), this.queues, strict,
					or(this.pollInterval, worker.pollInterval()), or(this.prefetch, worker.prefetch()),
					or(this.heartbeat, worker.heartbeat()), or(this.lease, worker.lease()),
					or(this.shutdownTimeout, worker.shutdownTimeout()), worker.virtualThreads());
		}

		private static <T> T or(@Nullable T own, T workers) {
			return Objects.requireNonNullElse(own, workers);
		}

	}

	/**
	 * How the figures about queues and tables are kept, for meters and the endpoint.
	 *
	 * @param interval how often the figures are refreshed; the whole cluster counts the
	 * tables once in this time
	 * @param maxQueues how many queues have meters of their own; all others are shown as
	 * one, named other
	 */
	public record Insight(@DefaultValue("15s") Duration interval, @DefaultValue("100") int maxQueues) {

		/**
		 * Check the values.
		 */
		public Insight {
			InvalidPropertyException.throwUnlessBetween("gator.insight.interval", interval, Duration.ofMillis(100),
					Duration.ofHours(1));
			if (maxQueues < 1 || maxQueues > 1000) {
				throw new InvalidPropertyException("gator.insight.max-queues", maxQueues, "1 to 1000");
			}
		}

	}

	/**
	 * What the actuator endpoint shows.
	 *
	 * @param showArguments whether the endpoint shows the arguments of jobs, which may be
	 * confidential
	 */
	public record Endpoint(@DefaultValue("false") boolean showArguments) {

	}

	/**
	 * What to do at start-up about settings that do harm.
	 */
	public enum StartupChecks {

		/** Warn. */
		WARN,

		/** Refuse to start. */
		FAIL,

		/** Do not look. */
		OFF

	}

	/**
	 * Whether dispatches and attempts are observed.
	 */
	public enum Observations {

		/** If something besides meters hears of observations, such as a tracer. */
		AUTO,

		/** Whenever there is an observation registry. */
		ALWAYS,

		/** Never. */
		NEVER

	}

	/**
	 * How slots are shared among queues.
	 */
	public enum QueueOrder {

		/** By weight. */
		WEIGHTED,

		/** The first queue that has work, in the order listed. */
		STRICT

	}

	/**
	 * How a process hears of jobs that others dispatch.
	 */
	public enum WakeUp {

		/** By notifications of the database, and by polling. */
		NOTIFY,

		/** By polling alone. */
		POLL

	}

}
