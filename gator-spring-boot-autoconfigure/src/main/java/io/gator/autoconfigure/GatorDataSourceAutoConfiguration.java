package io.gator.autoconfigure;

import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.routing.InvalidJobException;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Refuses to start where there are jobs, and several data sources of which none is
 * primary. Gator is not there then, so the jobs would never run, and nothing would say
 * so: a second data source may be added long after the jobs.
 */
@AutoConfiguration(after = GatorAutoConfiguration.class)
@ConditionalOnClass({ DataSource.class, org.postgresql.Driver.class })
@ConditionalOnBean(DataSource.class)
@Conditional({ OnSwitch.Enabled.class, GatorDataSourceAutoConfiguration.Ambiguous.class })
public final class GatorDataSourceAutoConfiguration {

	// Before any bean is made, or one that dispatches fails first, for want of a
	// JobTemplate.
	@Bean
	static BeanFactoryPostProcessor gatorDataSourceCheck() {
		return (beanFactory) -> {
			List<String> jobs = Arrays.stream(beanFactory.getBeanDefinitionNames())
				.filter((name) -> beanFactory.findAnnotationOnBean(name, Job.class, false) != null)
				.toList();
			if (!jobs.isEmpty()) {
				throw new InvalidJobException(
						"The job '%s' cannot run: there are several data sources (%s), and none of them is primary, "
							.formatted(jobs.get(0),
									String.join(", ", beanFactory.getBeanNamesForType(DataSource.class, true, false)))
								+ "so Gator does not know where to keep its jobs.",
						"Mark the data source of the PostgreSQL database that is to hold the jobs as @Primary, or the "
								+ "others as @Bean(defaultCandidate = false), or set gator.enabled=false.");
			}
		};
	}

	/**
	 * Whether it is not clear which data source is meant.
	 */
	static final class Ambiguous extends NoneNestedConditions {

		Ambiguous() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnSingleCandidate(DataSource.class)
		static final class Single {

		}

	}

}
