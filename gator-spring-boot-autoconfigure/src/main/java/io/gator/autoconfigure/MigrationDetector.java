package io.gator.autoconfigure;

import java.util.Set;

import io.gator.store.Migration;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/**
 * Lets Gator's tables be made after whatever the application does to its database: tables
 * made before the first migration of its Flyway would make that one fail, because the
 * schema is not empty.
 */
class MigrationDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

	@Override
	protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
		return Set.of(Migration.class);
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

}
