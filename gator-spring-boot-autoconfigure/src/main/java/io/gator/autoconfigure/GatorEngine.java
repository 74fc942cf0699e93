package io.gator.autoconfigure;

import io.gator.store.EngineDataSource;
import io.gator.store.GatorStores;

/**
 * The engine's own connections and what is kept through them. The connections are no bean
 * of type {@code DataSource}: the application's own has to stay the only one.
 *
 * @param dataSource the connections
 * @param stores the stores
 */
record GatorEngine(EngineDataSource dataSource, GatorStores stores) implements AutoCloseable {

	@Override
	public void close() {
		this.dataSource.close();
	}

}
