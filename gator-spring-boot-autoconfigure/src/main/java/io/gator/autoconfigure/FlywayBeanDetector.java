package io.gator.autoconfigure;

import java.util.Set;

import org.flywaydb.core.Flyway;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.util.ClassUtils;

/**
 * Finds a {@link Flyway} that the application makes and migrates itself. Gator brings
 * Flyway but not Boot's support for it. Where that is absent nobody else finds the bean,
 * and whether Gator's tables were there before the application's would depend on the
 * order of the beans. It has the place that Boot would give it.
 */
class FlywayBeanDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

	private static final String BOOTS_SUPPORT = "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration";

	@Override
	public Set<String> detect(ConfigurableListableBeanFactory beanFactory) {
		// A bean that is found twice would have to come before itself.
		return ClassUtils.isPresent(BOOTS_SUPPORT, beanFactory.getBeanClassLoader()) ? Set.of()
				: super.detect(beanFactory);
	}

	@Override
	protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
		return Set.of(Flyway.class);
	}

}
