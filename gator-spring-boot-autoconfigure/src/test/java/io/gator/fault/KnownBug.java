package io.gator.fault;

import io.gator.store.GatorStores;

/**
 * Bugs that others have had, to be put into the engine one at a time: a check that does
 * not turn red then is worth nothing.
 */
enum KnownBug {

	/** A result is written whoever holds the job. */
	SETTLING_WITHOUT_THE_LEASE {
		@Override
		void into(GatorStores stores) {
			for (String statement : new String[] { "succeed", "succeedWithoutHistory", "requeue", "bury" }) {
				replace(stores, statement, "and j.lease = r.lease", "");
			}
		}
	},

	/** A result is written if the job runs, whoever runs it. */
	SETTLING_BY_STATE {
		@Override
		void into(GatorStores stores) {
			for (String statement : new String[] { "succeed", "succeedWithoutHistory", "requeue", "bury" }) {
				replace(stores, statement, "and j.lease = r.lease", "and j.reserved_by is not null");
			}
		}
	},

	/** An attempt is charged when it fails, so one that ends its process is free. */
	CHARGING_AT_FAILURE {
		@Override
		void into(GatorStores stores) {
			replace(stores, "claim", "attempts = attempts + 1", "attempts = attempts");
		}
	},

	/** A pool found dead is robbed without a second look. */
	RESCUE_WITHOUT_RECHECK {
		@Override
		void into(GatorStores stores) {
			Object sql = sql(stores.workers());
			String text = (String) Internals.get(sql, "rescue");
			Internals.set(sql, "rescue", text.replaceAll("and w\\.beat_at < [^\\n]*", ""));
		}
	};

	/**
	 * Put the bug into an engine.
	 * @param stores its stores
	 */
	abstract void into(GatorStores stores);

	private static Object sql(Object store) {
		return Internals.get(store, "sql");
	}

	private static void replace(GatorStores stores, String statement, String from, String to) {
		Object sql = sql(stores.jobs());
		String text = (String) Internals.get(sql, statement);
		if (!text.contains(from)) {
			throw new IllegalStateException("Nothing to break in " + statement);
		}
		Internals.set(sql, statement, text.replace(from, to));
	}

}
