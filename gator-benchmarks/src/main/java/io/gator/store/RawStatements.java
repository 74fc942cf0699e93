package io.gator.store;

/**
 * The texts of the statements that the engine sends, for the raw loop of the benchmarks:
 * taken from where the engine takes them, so that both always run the same SQL. It stands
 * in this package because those texts are nobody else's business.
 */
public final class RawStatements {

	private final DispatchSql dispatches;

	private final ClaimSql claims;

	private final SettleSql settlements;

	/**
	 * Take the statements for a schema.
	 * @param schema the schema of Gator's tables
	 */
	public RawStatements(String schema) {
		Sql sql = new Sql(GatorStores.validSchema(schema), Sql.CLOCK);
		this.dispatches = new DispatchSql(sql);
		this.claims = new ClaimSql(sql);
		this.settlements = new SettleSql(sql);
	}

	/**
	 * What the engine sets for plans in each of its sessions.
	 * @return the settings of {@link EngineSettings}
	 */
	public String session() {
		return EngineSettings.plansOfSession();
	}

	/**
	 * The claim.
	 * @return the statement of {@link PostgresJobStore#claim}
	 */
	public String claim() {
		return this.claims.claim;
	}

	/**
	 * The claim of batches of buffered jobs.
	 * @return the statement of {@link PostgresJobStore#claimBatches}
	 */
	public String claimBatches() {
		return this.claims.claimBatches;
	}

	/**
	 * The settlement of successes.
	 * @param history whether they are kept
	 * @return the statement of {@link PostgresJobStore#settle}
	 */
	public String succeed(boolean history) {
		return history ? this.settlements.succeed : this.settlements.succeedWithoutHistory;
	}

	/**
	 * The insert of one job.
	 * @return the statement of {@link PostgresDispatchStore#insert}
	 */
	public String insert() {
		return this.dispatches.insert;
	}

	/**
	 * The insert of many jobs.
	 * @return the statement of {@link PostgresDispatchStore#insertMany}
	 */
	public String insertMany() {
		return this.dispatches.insertMany;
	}

}
