package io.gator.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;

import io.gator.insight.Insight;
import io.gator.maintenance.HistoryPruner;
import io.gator.metrics.BoundedNames;
import io.gator.metrics.EngineMeters;
import io.gator.metrics.HistoryMeters;
import io.gator.metrics.InsightMeters;
import io.gator.metrics.PoolMeters;
import io.gator.routing.Routes;
import io.gator.store.GatorStores;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Meters, where the application has a registry for them. A child context has no meters of
 * its own if its parent has meters: the parent's also count the dispatches and attempts
 * of the child, but show only the pools and the history of the parent.
 */
@AutoConfiguration(
		after = { GatorAutoConfiguration.class, GatorInsightAutoConfiguration.class,
				GatorWorkerAutoConfiguration.class },
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ GatorStores.class, MeterRegistry.class })
public final class GatorMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EngineMeters gatorEngineMeters(MeterRegistry registry, Routes routes, BoundedNames queues) {
		return new EngineMeters(registry, routes, queues);
	}

	@Bean
	@ConditionalOnBean(WorkerPools.class)
	@ConditionalOnMissingBean
	PoolMeters gatorPoolMeters(ObjectProvider<WorkerPools> pools, GatorProperties properties) {
		Set<String> names = new LinkedHashSet<>();
		names.add(GatorProperties.Worker.DEFAULT_POOL);
		names.addAll(properties.worker().pools().keySet());
		return new PoolMeters(names, new PoolStatuses(pools));
	}

	@Bean
	@ConditionalOnBean(HistoryPruner.class)
	@ConditionalOnMissingBean
	HistoryMeters gatorHistoryMeters(HistoryPruner pruner) {
		return new HistoryMeters(pruner);
	}

	// No other bean needs this one, so a lazy one would never be created.
	@Bean
	@Lazy(false)
	@ConditionalOnBean(Insight.class)
	@ConditionalOnMissingBean
	InsightMeters gatorInsightMeters(MeterRegistry registry, Insight insight, BoundedNames queues) {
		return new InsightMeters(registry, insight, queues);
	}

}
