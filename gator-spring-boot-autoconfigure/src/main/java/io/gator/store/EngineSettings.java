package io.gator.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What the engine sets for its statements. What a role or a database sets for its
 * sessions is meant for the application. Once for each session where these are the
 * engine's own. Behind a pooler the application may use the session next, so there the
 * settings go with each statement, in the same round trip, and end with its transaction.
 * In a transaction of the application's they end with the statement.
 */
final class EngineSettings {

	/**
	 * All statements go by an index or by place, and take its order. Without these
	 * settings:
	 * <ul>
	 * <li>{@code enable_seqscan}, {@code enable_hashjoin}, {@code enable_mergejoin}: a
	 * plan made while the table was all but empty would read the whole of it for ever,
	 * because prepared statements are not planned again when it grows.</li>
	 * <li>{@code enable_sort}: as long as nothing is known of the table, sorting all jobs
	 * of a queue seems as cheap as reading the first ones in order.</li>
	 * <li>{@code jit}: where a statement has to sort all the same, servers before 18 take
	 * it for so expensive that they would compile it each time.</li>
	 * <li>{@code plan_cache_mode}: with millions of jobs waiting the server would plan
	 * each claim again, hoping for a better plan from its values, which takes half as
	 * long as a small claim itself.</li>
	 * </ul>
	 */
	private static final Map<String, String> PLANS = Map.of("enable_seqscan", "off", "enable_hashjoin", "off",
			"enable_mergejoin", "off", "enable_sort", "off", "jit", "off", "plan_cache_mode", "force_generic_plan");

	/** Under these names a transaction keeps what was set in it before. */
	private static final String KEPT = "gator.kept_";

	private EngineSettings() {
	}

	/**
	 * The settings for plans.
	 * @return a query that sets them for a session
	 */
	static String plansOfSession() {
		return query(PLANS, false);
	}

	/**
	 * All settings.
	 * @param timeout how long one statement may take
	 * @return queries that set them for a session
	 */
	static String ofSession(Duration timeout) {
		Map<String, String> settings = ofStatements(timeout);
		settings.put("idle_in_transaction_session_timeout", Long.toString(timeout.toMillis()));
		// Not known to all versions.
		return query(settings, false) + "; select pg_catalog.set_config(name, '0', false) from pg_catalog.pg_settings"
				+ " where name in ('idle_session_timeout', 'transaction_timeout')";
	}

	/**
	 * The settings that matter for a single statement.
	 * @param timeout how long it may take
	 * @return a query that sets them for a transaction
	 */
	static String ofTransaction(Duration timeout) {
		return query(ofStatements(timeout), true);
	}

	private static Map<String, String> ofStatements(Duration timeout) {
		Map<String, String> settings = new HashMap<>(PLANS);
		settings.put("statement_timeout", Long.toString(timeout.toMillis()));
		settings.put("lock_timeout", "0");
		return settings;
	}

	/**
	 * The settings for plans, around a statement in a transaction of the application's.
	 * What is set there is kept, and set again behind the statement.
	 * @param sql the statement
	 * @return a query that makes the settings, the statement, a query that takes them
	 * back
	 */
	static String around(String sql) {
		String set = query(PLANS.keySet(),
				(name) -> set(KEPT + name, "pg_catalog.current_setting('" + name + "')", true) + ", "
						+ set(name, "'" + PLANS.get(name) + "'", true));
		String reset = query(PLANS.keySet(),
				(name) -> set(name, "pg_catalog.current_setting('" + KEPT + name + "')", true));
		return String.join("; ", set, sql, reset);
	}

	private static String query(Map<String, String> settings, boolean local) {
		return query(settings.keySet(), (name) -> set(name, "'" + settings.get(name) + "'", local));
	}

	/** In one order, so that the text is the same in all processes. */
	private static String query(Collection<String> names, UnaryOperator<String> call) {
		return names.stream().sorted().map(call).collect(Collectors.joining(", ", "select ", ""));
	}

	private static String set(String name, String value, boolean local) {
		return "pg_catalog.set_config('" + name + "', " + value + ", " + local + ")";
	}

}
