package io.gator.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/**
 * Finds the transaction manager of a data source.
 */
final class TransactionManagers {

	private TransactionManagers() {
	}

	/**
	 * Find the manager whose transactions connections of the data source take part in.
	 * @param managers all transaction managers
	 * @param dataSource the data source
	 * @return the manager; {@code null} if there is none, or nobody can tell which one
	 */
	static @Nullable PlatformTransactionManager of(ObjectProvider<PlatformTransactionManager> managers,
			DataSource dataSource) {
		PlatformTransactionManager unique = managers.getIfUnique();
		if (unique != null) {
			return isForeign(unique, dataSource) ? null : unique;
		}
		List<PlatformTransactionManager> own = managers.stream()
			.filter((manager) -> manager instanceof DataSourceTransactionManager && !isForeign(manager, dataSource))
			.toList();
		return (own.size() == 1) ? own.get(0) : null;
	}

	private static boolean isForeign(PlatformTransactionManager manager, DataSource dataSource) {
		return manager instanceof ResourceTransactionManager resource
				&& resource.getResourceFactory() instanceof DataSource other && other != dataSource;
	}

}
