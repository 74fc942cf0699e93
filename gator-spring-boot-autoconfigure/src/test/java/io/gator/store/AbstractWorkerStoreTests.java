package io.gator.store;

import io.gator.test.DatabaseHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * What pools know of each other and of their queues, in tables that are empty before each
 * test.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class AbstractWorkerStoreTests {

	final DatabaseHandle database;

	final StoreTables tables;

	final WorkerStore workers;

	AbstractWorkerStoreTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		this.workers = this.tables.stores().workers();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
	}

}
