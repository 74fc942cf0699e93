package io.gator.store;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Empty tables, and a pool that claims from them.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
abstract class AbstractClaimTests {

	final DatabaseHandle database;

	final StoreTables tables;

	long pool;

	AbstractClaimTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
		this.pool = this.tables.pool();
	}

}
