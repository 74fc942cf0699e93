package io.gator.autoconfigure;

import java.util.Set;

import io.gator.JobAdmin;
import io.gator.JobOperations;
import io.gator.JobPools;
import io.gator.JobTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Tells why there is no {@link JobTemplate}. Boot's own advice, to define one, would not
 * help.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class GatorIsOffFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

	private static final Set<Class<?>> GATORS = Set.of(JobTemplate.class, JobOperations.class, JobAdmin.class,
			JobPools.class);

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
		Class<?> type = cause.getBeanType();
		if (type == null || !GATORS.contains(type) || cause instanceof NoUniqueBeanDefinitionException) {
			return null;
		}
		return new FailureAnalysis(
				"A bean needs a %s, and there is none, because Gator is not there.".formatted(type.getSimpleName()), """
						Gator is there where gator.enabled is not false, the PostgreSQL driver is on the class path, \
						and there is one DataSource, or several of which one is @Primary. Beside R2DBC, Boot makes none.
						In a slice of the application, such as @DataJpaTest or @WebMvcTest, name what is missing: \
						@MockitoBean JobTemplate, or @ImportAutoConfiguration(GatorAutoConfiguration.class).""", cause);
	}

}
