package io.gator.autoconfigure;

import io.gator.observation.MdcPropagation;
import io.gator.store.GatorStores;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * The application's own keys of the logging context, where it asks for them.
 */
@AutoConfiguration(after = GatorAutoConfiguration.class)
@ConditionalOnBean(GatorStores.class)
@Conditional(OnMdcKeys.class)
public final class GatorMdcAutoConfiguration {

	@Bean
	MdcPropagation gatorMdcPropagation(GatorProperties properties) {
		return new MdcPropagation(properties.mdcKeys());
	}

}
