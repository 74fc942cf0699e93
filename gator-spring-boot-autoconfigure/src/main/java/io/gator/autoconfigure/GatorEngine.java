package io.gator.autoconfigure;

import io.gator.store.EngineDataSource;
import io.gator.store.GatorStores;

/**
 * The engine's own connections and what is kept through them. Not a {@code DataSource}
 * bean: an application has one, and that is its own.
 *
 * @param connections the connections
 * @param stores the stores
 */
record GatorEngine(EngineDataSource connections, GatorStores stores) implements AutoCloseable {

	@Override
	public void close() {
		this.connections.close();
	}

}
