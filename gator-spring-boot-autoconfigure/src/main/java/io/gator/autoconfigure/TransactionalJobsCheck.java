package io.gator.autoconfigure;

import io.gator.routing.InvalidJobException;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Refuses to start with {@code transactional} jobs if it is not certain which transaction
 * manager they are to run with.
 */
final class TransactionalJobsCheck implements SmartInitializingSingleton {

	private final Routes routes;

	private final @Nullable PlatformTransactionManager manager;

	TransactionalJobsCheck(Routes routes, @Nullable PlatformTransactionManager manager) {
		this.routes = routes;
		this.manager = manager;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.manager != null) {
			return;
		}
		for (Route route : this.routes.all()) {
			if (route.transactional()) {
				throw new InvalidJobException(
						"The %s is transactional, but there is not exactly one transaction manager for the data source "
							.formatted(route) + "that holds Gator's tables.",
						"Declare one PlatformTransactionManager for that DataSource, or mark the right one as "
								+ "@Primary; or remove transactional = true from the job.");
			}
		}
	}

}
