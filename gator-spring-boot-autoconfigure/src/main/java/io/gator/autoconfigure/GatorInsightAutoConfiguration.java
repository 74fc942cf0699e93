package io.gator.autoconfigure;

import io.gator.insight.Insight;
import io.gator.insight.Rates;
import io.gator.store.GatorStores;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * The figures about the whole cluster, for meters and the endpoint. Without meters and
 * endpoint nobody would read the figures, so nothing is counted.
 */
@AutoConfiguration(after = GatorAutoConfiguration.class)
@ConditionalOnBean(GatorStores.class)
@Conditional(OnMetersOrEndpoint.class)
public final class GatorInsightAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Rates gatorRates() {
		return new Rates();
	}

	@Bean
	@ConditionalOnMissingBean
	Insight gatorInsight(GatorStores stores, Rates rates, GatorProperties properties) {
		return new Insight(stores.insight(), rates, properties.insight().interval());
	}

}
