package io.gator.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * All that shows an application from outside, with a registry for its meters.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ GatorInsightAutoConfiguration.class, GatorMetricsAutoConfiguration.class,
		GatorObservationAutoConfiguration.class, GatorMdcAutoConfiguration.class, GatorHealthAutoConfiguration.class,
		GatorEndpointAutoConfiguration.class, GatorStartupAutoConfiguration.class })
public class ObservabilityConfiguration {

	@Bean
	MeterRegistry meterRegistry() {
		return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
	}

	/** As Boot does it. */
	@Bean
	SmartInitializingSingleton bindMeters(MeterRegistry registry, ObjectProvider<MeterBinder> binders) {
		return () -> binders.forEach((binder) -> binder.bindTo(registry));
	}

}
