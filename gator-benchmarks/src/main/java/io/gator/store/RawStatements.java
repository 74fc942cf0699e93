package io.gator.store;

/**
 * The texts of the statements that the engine sends, for the raw loop of the benchmarks:
 * taken from where the engine takes them, so that both always run the same SQL. It stands
 * in this package because those texts are nobody else's business.
 */
public final class RawStatements {

	private final Sql sql;

	/**
	 * Take the statements for a schema.
	 * @param schema the schema of Gator's tables
	 */
	public RawStatements(String schema) {
		this.sql = new Sql(GatorStores.validSchema(schema), Sql.CLOCK);
	}

	/**
	 * The claim.
	 * @return the statement of {@link PostgresJobStore#claim}
	 */
	public String claim() {
		return this.sql.claim;
	}

	/**
	 * The settlement of successes.
	 * @param history whether they are kept
	 * @return the statement of {@link PostgresJobStore#settle}
	 */
	public String succeed(boolean history) {
		return history ? this.sql.succeed : this.sql.succeedWithoutHistory;
	}

	/**
	 * The insert of one job.
	 * @return the statement of {@link PostgresDispatchStore#insert}
	 */
	public String insert() {
		return this.sql.insert;
	}

	/**
	 * The insert of many jobs.
	 * @return the statement of {@link PostgresDispatchStore#insertMany}
	 */
	public String insertMany() {
		return this.sql.insertMany;
	}

}
