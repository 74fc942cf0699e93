package io.gator.autoconfigure;

import java.util.Set;

import io.gator.store.Migration;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/**
 * Lets Gator create its tables after anything that the application does to its database:
 * tables that exist before the first migration of the application's Flyway would make
 * that migration fail, because the schema is not empty.
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
