package io.gator.autoconfigure;

import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.routing.InvalidJobException;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Refuses to start where there are jobs, and no data source or several of which none is
 * primary. Gator is not there then, so the jobs would never run, and nothing would say
 * so: a second data source, or R2DBC, beside which Boot makes no data source, may be
 * added long after the jobs.
 */
@AutoConfiguration(after = GatorAutoConfiguration.class)
@ConditionalOnClass({ DataSource.class, org.postgresql.Driver.class })
@Conditional({ OnSwitch.Enabled.class, GatorDataSourceAutoConfiguration.NoneOrAmbiguous.class })
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
				throw refused(jobs.get(0), beanFactory.getBeanNamesForType(DataSource.class, true, false));
			}
		};
	}

	private static InvalidJobException refused(String job, String... sources) {
		String cannotRun = "The job '" + job + "' cannot run: ";
		// One may be declared after Gator has looked.
		if (sources.length < 2) {
			return new InvalidJobException(cannotRun + "Gator has found no data source to keep its jobs in.",
					"Set spring.datasource.url; or, beside R2DBC, declare a DataSource bean of the PostgreSQL database "
							+ "that is to hold the jobs; or, if an auto-configuration declares it, let that come before "
							+ "Gator's; or set gator.enabled=false.");
		}
		return new InvalidJobException(
				cannotRun + "there are several data sources (" + String.join(", ", sources)
						+ "), and none of them is primary, so Gator does not know where to keep its jobs.",
				"Mark the data source of the PostgreSQL database that is to hold the jobs as @Primary, or the "
						+ "others as @Bean(defaultCandidate = false), or set gator.enabled=false.");
	}

	/**
	 * Whether there is no data source, or it is not clear which one is meant.
	 */
	static final class NoneOrAmbiguous extends NoneNestedConditions {

		NoneOrAmbiguous() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnSingleCandidate(DataSource.class)
		static final class Single {

		}

	}

}
