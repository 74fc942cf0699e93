package io.gator.metrics;

import java.util.Collection;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.gator.worker.PoolStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows the slots of the pools of this process.
 */
public final class PoolMeters implements MeterBinder {

	private final Collection<String> pools;

	private final Supplier<? extends Collection<PoolStatus>> status;

	/**
	 * Create the meters.
	 * @param pools the names of the pools
	 * @param status how they are now
	 */
	public PoolMeters(Collection<String> pools, Supplier<? extends Collection<PoolStatus>> status) {
		this.pools = pools;
		this.status = status;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (String pool : this.pools) {
			slots(registry, pool, "busy", PoolStatus::busy);
			slots(registry, pool, "idle", (status) -> Math.max(0, status.slots() - status.busy()));
			slots(registry, pool, "stuck", PoolStatus::stuck);
			gauge("gator.worker.buffered", pool, PoolStatus::buffered)
				.description("Jobs that are claimed but not started")
				.baseUnit("jobs")
				.register(registry);
			gauge("gator.worker.unsettled", pool, PoolStatus::unsettled)
				.description("Outcomes that are not in the database yet")
				.baseUnit("jobs")
				.register(registry);
		}
	}

	private void slots(MeterRegistry registry, String pool, String state, ToDoubleFunction<PoolStatus> value) {
		gauge("gator.worker.slots", pool, value)
			.description("Slots: busy with a job, idle, or stuck with a handler that ignores its interrupt")
			.baseUnit("slots")
			.tag("state", state)
			.register(registry);
	}

	private Gauge.Builder<?> gauge(String name, String pool, ToDoubleFunction<PoolStatus> value) {
		return Gauge
			.builder(name, this.status,
					(status) -> status.get()
						.stream()
						.filter((each) -> each.pool().equals(pool))
						.mapToDouble(value)
						.findFirst()
						.orElse(Double.NaN))
			.tag("pool", pool);
	}

}
