package io.gator.autoconfigure;

import io.gator.JobAdmin;
import io.gator.JobPools;
import io.gator.actuate.GatorEndpoint;
import io.gator.insight.Insight;
import io.gator.routing.Routes;
import io.gator.store.GatorStores;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The endpoint, where the application has Actuator and exposes it.
 */
@AutoConfiguration(after = { GatorAutoConfiguration.class, GatorInsightAutoConfiguration.class })
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ GatorStores.class, Insight.class, JobAdmin.class })
@ConditionalOnAvailableEndpoint(GatorEndpoint.class)
public final class GatorEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	GatorEndpoint gatorEndpoint(JobAdmin admin, JobPools pools, Insight insight, GatorStores stores, Routes routes,
			GatorProperties properties) {
		return new GatorEndpoint(admin, pools, insight, stores.insight(), routes, properties.worker().weights(),
				properties.endpoint().showArguments());
	}

}
