package io.gator.autoconfigure;

import java.util.List;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DatabaseInitializerDetector;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

class FlywayBeanDetectorTests {

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	FlywayBeanDetectorTests() {
		this.beanFactory.registerBeanDefinition("flyway", new RootBeanDefinition(Flyway.class));
	}

	@Test
	void aFlywayOfTheApplicationsOwnComesBeforeGatorsTables() {
		this.beanFactory.setBeanClassLoader(new FilteredClassLoader(FlywayAutoConfiguration.class));
		assertThat(new FlywayBeanDetector().detect(this.beanFactory)).containsExactly("flyway");
		List<DatabaseInitializerDetector> all = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(DatabaseInitializerDetector.class);
		AnnotationAwareOrderComparator.sort(all);
		assertThat(all).hasAtLeastOneElementOfType(FlywayBeanDetector.class)
			.last()
			.isInstanceOf(MigrationDetector.class);
	}

	@Test
	void whatBootFindsIsNotFoundTwice() {
		assertThat(new FlywayBeanDetector().detect(this.beanFactory)).isEmpty();
	}

}
