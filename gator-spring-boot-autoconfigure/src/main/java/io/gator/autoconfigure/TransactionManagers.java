package io.gator.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.gator.store.TransactionResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ObjectProvider;
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
	 * @return the only manager that certainly is the one, or else the only or primary
	 * manager if it may be the one; {@code null} if there is none
	 */
	static @Nullable PlatformTransactionManager of(ObjectProvider<PlatformTransactionManager> managers,
			DataSource dataSource) {
		List<PlatformTransactionManager> own = managers.stream()
			.filter((manager) -> isManagerOf(manager, dataSource))
			.toList();
		if (own.size() == 1) {
			return own.get(0);
		}
		PlatformTransactionManager unique = managers.getIfUnique();
		if (unique == null) {
			return null;
		}
		// Some managers do not tell their data source. The first transaction shows it.
		boolean fits = own.isEmpty() ? dataSourceOf(unique) == null : own.contains(unique);
		return fits ? unique : null;
	}

	private static boolean isManagerOf(PlatformTransactionManager manager, DataSource dataSource) {
		DataSource managed = dataSourceOf(manager);
		return managed != null && TransactionResources.isSame(managed, dataSource);
	}

	/**
	 * The data source of a manager. The managers of JPA and Hibernate have it as a
	 * property, which is read by its name because their classes need not be on the class
	 * path.
	 */
	private static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
		if (manager instanceof ResourceTransactionManager resource
				&& resource.getResourceFactory() instanceof DataSource dataSource) {
			return dataSource;
		}
		BeanWrapper bean = PropertyAccessorFactory.forBeanPropertyAccess(manager);
		return (bean.isReadableProperty("dataSource")
				&& bean.getPropertyValue("dataSource") instanceof DataSource dataSource) ? dataSource : null;
	}

}
