package io.gator.autoconfigure;

import io.gator.health.GatorHealthIndicator;
import io.gator.store.GatorStores;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Health, where the application shows it.
 */
@AutoConfiguration(after = { GatorAutoConfiguration.class, GatorWorkerAutoConfiguration.class })
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(value = GatorStores.class, search = SearchStrategy.CURRENT)
@ConditionalOnEnabledHealthIndicator("gator")
public final class GatorHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "gatorHealthIndicator", search = SearchStrategy.CURRENT)
	HealthIndicator gatorHealthIndicator(GatorStores stores, ObjectProvider<WorkerPools> pools) {
		return new GatorHealthIndicator(stores.insight(), new PoolStatuses(pools));
	}

}
