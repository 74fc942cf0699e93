package io.gator.store;

/**
 * Makes statements for one schema and one clock. Placeholders in braces are replaced
 * once, when the statements are created; the schema is a validated identifier.
 * {@code {schema}} is its name in quotes, as tables have it, and {@code {schemaName}} the
 * bare one. {@code {leastAttempts}}, {@code {mostAttempts}} and {@code {highestLease}}
 * are the limits of their columns; only a reserved row may be beyond them.
 * {@code {deadWalk}} is how many dead jobs, the latest first, are read to learn of their
 * queues: the table has no index by queue and no end.
 * <p>
 * {@code {now}} is the database's clock at the start of the statement, not of the
 * transaction: a delay counts from the dispatch, however long its transaction has been
 * open. It must be stable within a statement, or the index on the due time is not used.
 */
final class Sql {

	static final String CLOCK = "statement_timestamp()";

	/**
	 * Frees the row {@code j} and raises its lease, so that a result which still comes is
	 * too late. Works for any value of the lease: a row that somebody wrote by hand must
	 * not keep others from being freed.
	 */
	static final String FREED = """
			           lease = least(greatest(j.lease, 0), {highestLease} - 1) + 1,
			           reserved_by = null,
			           reserved_at = null
			""";

	private final String schema;

	private final String clock;

	Sql(String schema, String clock) {
		this.schema = schema;
		this.clock = clock;
	}

	String of(String template) {
		return template.replace("{schema}", '"' + this.schema + '"')
			.replace("{schemaName}", this.schema)
			.replace("{leastAttempts}", "-1000000000")
			.replace("{mostAttempts}", "1000000000")
			.replace("{highestLease}", "4000000000000000000")
			.replace("{deadWalk}", "20000")
			.replace("{now}", this.clock);
	}

}
