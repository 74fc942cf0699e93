package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.gator.JobState;
import io.gator.test.BehindPooler;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The statements of the engine are prepared once and live long: a plan that was made for
 * a table of ten rows must still be a good one when there are two hundred thousand, and
 * nobody has gathered statistics meanwhile.
 */
@FreshDatabase
class StatementPlansTests {

	private static final int ROWS = 200_000;

	/** More pages than a batch of this size needs, and far fewer than the table has. */
	private static final int BUDGET = 3_000;

	private static final String EXPLAIN = "explain (analyze, buffers, timing off, summary off) ";

	private static final String BATCHES = "'{Job}', '{3}', '{2}', '{0}', '{3}', '{t}', '-infinity', '{Job}', '{default,other}', '{0,0}', false, '{0,0}'";

	private static final String THREE_IDS = "'{150001,150002,150003}'::bigint[]";

	private static final String THREE_LEASES = "'{0,0,0}'::bigint[]";

	private static final String THREE_NULLS = "'{null,null,null}'";

	private final DatabaseHandle database;

	private final ClaimSql claims = new ClaimSql(new Sql("public", Sql.CLOCK));

	private final LookSql looks = new LookSql(new Sql("public", Sql.CLOCK));

	private final SettleSql settlements = new SettleSql(new Sql("public", Sql.CLOCK));

	private final WorkerSql workers = new WorkerSql(new Sql("public", Sql.CLOCK));

	private final AdminSql actions = new AdminSql(new Sql("public", Sql.CLOCK));

	StatementPlansTests(DatabaseHandle database) {
		this.database = database;
	}

	/**
	 * What the server knew of the table when the plans were made. Statistics of next to
	 * no rows are the most misleading: then it seems cheapest to read all there is.
	 */
	enum Known {

		NOTHING, NO_PAGES("vacuum analyze gator_job"),

		TWO_ROWS(
				"insert into gator_job (queue, name, args) values ('default', 'Job', '[1]'), ('default', 'Job', '[1]')",
				"vacuum analyze gator_job"),

		ROWS_THAT_ARE_GONE("""
				insert into gator_job (queue, name, args, next_execution_at)
				select 'default', 'Job', '[1]', case when n % 2 = 0 then now() end from generate_series(1, 1000) n
				""", "delete from gator_job", "vacuum analyze gator_job"),

		ALL("vacuum analyze gator_job");

		private final List<String> statements;

		Known(String... statements) {
			this.statements = List.of(statements);
		}

	}

	@ParameterizedTest
	@EnumSource
	void plansStayGoodWhateverWasKnownOfTheTableWhenTheyWereMade(Known known) throws SQLException {
		try (DatabaseHandle fresh = TestDatabase.create()) {
			new Migration(fresh.createDataSource(), "public", true).afterPropertiesSet();
			fresh.jdbc().sql("alter table gator_job set (autovacuum_enabled = false)").update();
			if (known == Known.ALL) {
				fill(fresh);
			}
			for (String sql : known.statements) {
				fresh.jdbc().sql(sql).update();
			}
			try (EngineDataSource engine = EngineDataSource.derive(fresh.hikari(), 1, Duration.ofSeconds(60));
					Connection connection = engine.getConnection();
					Statement statement = connection.createStatement()) {
				List<String> calls = prepareAll(statement);
				if (known != Known.ALL) {
					fill(fresh);
				}
				fresh.jdbc()
					.sql("""
							insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, unique_key)
							select 1000000 + n, 'default', 'Job', '[1]', 1, 1, now(), 'key-' || n from generate_series(1, 3) n
							""")
					.update();
				fresh.jdbc().sql("""
						insert into gator_queue (name, used_at)
						select 'unused-' || n, now() - interval '2 days' from generate_series(1, 100) n
						""").update();
				List<String> bad = new ArrayList<>();
				for (String call : calls) {
					String plan = explain(connection, call);
					if (plan.contains("Seq Scan on gator_job ") || pages(plan) > BUDGET) {
						bad.add(call + ":\n" + plan);
					}
				}
				assertThat(bad).isEmpty();
				assertThat(timesPlannedAgain(statement)).isZero();
			}
		}
	}

	private List<String> prepareAll(Statement statement) throws SQLException {
		List<String> calls = new ArrayList<>();
		calls.add(prepare(statement, "claim", this.claims.claim,
				"'{default,other}', '{3,3}', '{0,0}', '{-infinity,-infinity}', '{Job}', '{Job}', 3, 1"));
		calls.add(prepare(statement, "claim_by_table", this.claims.claimByTable,
				"'{default,other}', '{3,3}', '{0,0}', '{-infinity,-infinity}', '{Job}', '{Job}', 3, 1"));
		calls.add(prepare(statement, "claim_batches", this.claims.claimBatches, BATCHES + ", 2, 1"));
		calls.add(prepare(statement, "look_for_batches", this.claims.lookForBatches, BATCHES));
		calls.add(prepare(statement, "first_waiting", this.looks.firstWaiting, "'{Job}', '{default,other}', '{0,0}'"));
		calls.add(prepare(statement, "succeed", this.settlements.succeed, values(THREE_NULLS)));
		calls.add(prepare(statement, "succeed_without_history", this.settlements.succeedWithoutHistory, values()));
		calls.add(prepare(statement, "succeed_in_chain", this.settlements.succeedInChain,
				values(THREE_NULLS, THREE_NULLS, THREE_NULLS, THREE_NULLS, THREE_NULLS, THREE_NULLS, "true")));
		calls.add(prepare(statement, "requeue", this.settlements.requeue,
				values(THREE_NULLS, THREE_NULLS, THREE_NULLS, "'{0,0,0}'", THREE_NULLS)));
		calls.add(prepare(statement, "bury", this.settlements.bury,
				values(THREE_NULLS, "'{0,0,0}'", THREE_NULLS, THREE_NULLS, THREE_NULLS, THREE_NULLS, THREE_NULLS)));
		calls.add(prepare(statement, "cancel", this.settlements.cancel, values(THREE_NULLS)));
		calls.add(prepare(statement, "locked", this.settlements.locked, "'{1,2,3}'"));
		calls.add(prepare(statement, "release_lost", this.settlements.releaseLost, "'{1,2,3}', 1"));
		calls.add(prepare(statement, "regroup", this.settlements.regroup, values(THREE_NULLS)));
		calls.add(prepare(statement, "live", this.settlements.live, "'{150001,150002}'"));
		calls.add(prepare(statement, "look", this.looks.look,
				"'{0,1}', '{Job,Job}', '{default,other}', '{0,0}', '{-infinity,-infinity}'"));
		calls.add(prepare(statement, "next_due", this.looks.nextDue, "'{Job}', '{default,other}', 0"));
		calls.add(prepare(statement, "ends", this.looks.ends, "'{default,other}', 0"));
		calls.add(prepare(statement, "newest", this.looks.newest, ""));
		calls.add(prepare(statement, "register_heard", this.workers.registerHeardQueues, "'{none,some}'"));
		calls.add(prepare(statement, "register_missing", this.workers.registerMissingQueues, ""));
		calls.add(prepare(statement, "forget_unused", this.workers.forgetUnusedQueues, ""));
		calls.add(prepare(statement, "rescue", this.workers.rescue, "'{1}', '{2}', '{150001,150002}'"));
		calls.add(prepare(statement, "cancel_one", this.actions.cancel, "150001"));
		calls.add(prepare(statement, "retry_one", this.actions.retry, "1000001, 1000001"));
		calls.add(prepare(statement, "reschedule_one", this.actions.reschedule, "now(), 150001"));
		calls.add(prepare(statement, "retry_some", this.actions.retrySome, "null, null, null, null, 0, 100"));
		return calls;
	}

	@Test
	void manyNamesAreLookedUpWhereManyJobsAreClaimed() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		Set<String> few = StoreTables.names(30);
		Set<String> many = StoreTables.names(31);
		assertThat(this.claims.claim(new ClaimRequest(1, few, List.of(), 1_000))).isEqualTo(this.claims.claim);
		assertThat(this.claims.claim(new ClaimRequest(1, many, List.of(), 50))).isEqualTo(this.claims.claim);
		String claim = this.claims.claim(new ClaimRequest(1, many, List.of(), 51));
		fill();
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String plan = explain(connection, prepare(statement, "claim_of_many", claim,
					"'{default}', '{3}', '{0}', '{-infinity}', '{Job,Other}', '{Job,Other}', 3, 1"));
			assertThat(plan).contains("hashed SubPlan").doesNotContain(" Join");
			assertThat(pages(plan)).as(plan).isLessThan(BUDGET);
		}
	}

	@Test
	void whatNoIndexKnowsIsReadByRangesOfPages() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		this.database.jdbc().sql("truncate gator_job").update();
		this.database.jdbc().sql("alter table gator_job set (autovacuum_enabled = false)").update();
		ReservedSql reserved = new ReservedSql(new Sql("public", Sql.CLOCK));
		AdminSql admin = new AdminSql(new Sql("public", Sql.CLOCK));
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			List<String> calls = List.of(
					prepare(statement, "held_by", reserved.heldBy, "'(100,0)', '(200,0)', '{1,2}'"),
					prepare(statement, "forgotten_holders", reserved.forgottenHolders, "'(100,0)', '(200,0)'"),
					prepare(statement, "list_running", admin.listInRange(JobState.RUNNING, AdminSql.WHOLE),
							"'default', 'default', null, null, 5, 1000000, '(100,0)', '(200,0)', 10"),
					prepare(statement, "list_failed", admin.listInRange(JobState.FAILED, AdminSql.WHOLE),
							"'default', 'default', null, null, 5, 1000000, '(100,0)', '(200,0)', 10"));
			fill();
			for (String call : calls) {
				String plan = explain(connection, call);
				assertThat(plan).contains("Tid Range Scan on gator_job");
				assertThat(pages(plan)).as(plan).isBetween(100, 110);
			}
		}
	}

	@Test
	void aPartOfTheHistoryIsSweptWithoutItsIndex() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		this.database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				select i, 'default', 'Work', 'SUCCEEDED', 1, 1, now(), now() from generate_series(1, 100000) i
				""").update();
		this.database.jdbc().sql("vacuum analyze gator_job_history").update();
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String plan = explain(connection, prepare(statement, "sweep",
					new UpkeepSql(new Sql("public", Sql.CLOCK)).sweep, "86400, '(100,0)', '(200,0)', 5000, 86400"));
			assertThat(plan).contains("Tid Range Scan on gator_job_history");
			assertThat(pages(plan)).as(plan).isBetween(100, 110);
		}
	}

	@Test
	void aJobThatIsNotOverIsFoundWithoutALookAtTheHistory() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String find = prepare(statement, "find", new AdminSql(new Sql("public", Sql.CLOCK)).find, "1000001");
			this.database.jdbc().sql("""
					insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
					values (1000001, 'default', 'Work', '[]', 1, 1, now())
					""").update();
			assertThat(explain(connection, find)).containsPattern("gator_job_history.*never executed");
		}
	}

	@Test
	void onlySomeBeatsLookAtTheRowsOfOtherPools() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String beat = new WorkerSql(new Sql("public", Sql.CLOCK)).beat;
			String quick = explain(connection,
					prepare(statement, "quick_beat", beat, "'{}', 1, 10, 0, '{}', 1, false, false"));
			String thorough = explain(connection,
					prepare(statement, "long_beat", beat, "'{}', 1, 10, 0, '{}', 1, true, true"));
			String unread = "Seq Scan on gator_worker .*never executed";
			assertThat(quick).containsPattern(unread);
			assertThat(thorough).doesNotContainPattern(unread);
		}
	}

	@Test
	void figuresOfAQueueDoNotWalkTheJobsOfTheOthers() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		this.database.jdbc()
			.sql("insert into gator_queue (name) select 'none-' || n from generate_series(1, 5) n")
			.update();
		this.database.jdbc().sql("insert into gator_queue (name) values ('default') on conflict do nothing").update();
		fill();
		this.database.jdbc().sql("vacuum analyze gator_job").update();
		InsightSql insight = new InsightSql(new Sql("public", Sql.CLOCK));
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			for (String call : List.of(prepare(statement, "count", insight.count, "100"),
					prepare(statement, "held", insight.held, "'{none-1,none-2}', '{1}'"), prepare(statement, "ahead",
							insight.ahead, "'none-1', null, null, 100, 'none-1', 150001, 'none-1', null, 100"))) {
				String plan = explain(connection, call);
				assertThat(pages(plan)).as(plan).isLessThan(BUDGET);
			}
		}
	}

	@Test
	void deadJobsAreReadForQueuesThatNothingElseKeepsAndOnceADay() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		this.database.jdbc().sql("truncate gator_job, gator_queue, gator_dead_job").update();
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select n, 'dead', 'Job', '[1]', 1, 1, now() from generate_series(1, 100000) n
				""").update();
		this.database.jdbc().sql("insert into gator_job (queue, name, args) values ('waiting', 'Job', '[1]')").update();
		this.database.jdbc().sql("""
				insert into gator_queue (name, used_at)
				values ('used', now()), ('waiting', now() - interval '2 days')
				""").update();
		this.database.jdbc().sql("vacuum analyze gator_dead_job").update();
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String call = prepare(statement, "forget", this.workers.forgetUnusedQueues, "");
			assertThat(pages(explain(connection, call))).as("no queue is unused").isLessThan(100);
			this.database.jdbc()
				.sql("insert into gator_queue (name, used_at) values ('dead', now() - interval '2 days')")
				.update();
			assertThat(pages(explain(connection, call))).as("a queue that only dead jobs keep").isGreaterThan(500);
			statement.execute("execute " + call);
			assertThat(pages(explain(connection, call))).as("it was asked already").isLessThan(100);
			assertThat(
					this.database.jdbc().sql("select name from gator_queue order by name").query(String.class).list())
				.containsExactly("dead", "used", "waiting");
		}
		finally {
			this.database.jdbc().sql("truncate gator_queue, gator_dead_job").update();
		}
	}

	@Test
	void howeverMuchIsOnAQueueCountingItReadsTenThousandRowsOfEachIndexAtMost() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		this.database.jdbc().sql("insert into gator_queue (name) values ('default') on conflict do nothing").update();
		fill();
		this.database.jdbc().sql("vacuum analyze gator_job").update();
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String plan = explain(connection,
					prepare(statement, "count_many", new InsightSql(new Sql("public", Sql.CLOCK)).count, "100"));
			assertThat(rowsReadBy("Scan using \\w+ on gator_job ", plan)).as(plan)
				.hasSize(2)
				.allSatisfy((rows) -> assertThat(rows).isBetween(9_990.0, 10_010.0));
		}
	}

	@Test
	void aClaimTakesItsJobsInTheOrderOfTheIndexBeforeAnythingIsKnownOfTheTable() throws SQLException {
		try (DatabaseHandle fresh = firstBacklog()) {
			try (EngineDataSource engine = EngineDataSource.derive(fresh.hikari(), 1, Duration.ofSeconds(60));
					Connection connection = engine.getConnection();
					Statement statement = connection.createStatement()) {
				String claim = prepare(statement, "first_claim", this.claims.claim,
						"'{default}', '{100}', '{0}', '{-infinity}', '{Job,Other}', '{Job,Other}', 100, 1");
				String batches = prepare(statement, "first_claim_of_a_batch", this.claims.claimBatches,
						"'{Job}', '{100}', '{1}', '{0}', '{100}', '{f}', '-infinity', '{Job}', '{default}', '{0}', true, '{0}', 1, 1");
				for (String call : List.of(claim, batches)) {
					String plan = explain(connection, call);
					assertThat(pages(plan)).as(plan).isLessThan(1_000);
				}
			}
		}
	}

	@Test
	void behindAPoolerAClaimTakesThemInThatOrderToo() {
		try (DatabaseHandle fresh = firstBacklog()) {
			ClaimRequest request = new ClaimRequest(1, Set.of("Job", "Other"),
					List.of(StoreTables.share("default", 100)), 100);
			Duration timeout = Duration.ofSeconds(60);
			try (EngineDataSource engine = EngineDataSource.derive(new BehindPooler(fresh.hikari(1)), 1, timeout)) {
				String plan = new Db(engine, timeout).run("explain a claim", EXPLAIN + this.claims.claim,
						(statement) -> {
							PostgresJobStore.setClaim(statement, request);
							return String.join("\n", Db.list(statement, (row) -> row.getString(1)));
						});
				assertThat(pages(plan)).as(plan).isBetween(100, 1_000);
			}
		}
	}

	@Test
	void aClaimOfABatchThatBeginsBehindTheClaimedOnesDoesNotWalkOverThem() throws SQLException {
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		this.database.jdbc().sql("truncate gator_job restart identity").update();
		this.database.jdbc().sql("""
				insert into gator_job (queue, name, args, reserved_by)
				select 'default', 'Job', '[1]', case when n <= 10000 then 1 end
				  from generate_series(1, 11000) as n
				""").update();
		this.database.jdbc().sql("vacuum analyze gator_job").update();
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String values = "'{Job}', '{10}', '{1}', '{0}', '{10}', '{f}', '-infinity', '{Job}', '{default}', '{%1$d}', false, '{%1$d}', 1, 1";
			String call = prepare(statement, "claim_batches_behind", this.claims.claimBatches,
					values.formatted(11_000));
			String behind = explain(connection, call.replace("11000", "10000"));
			String over = explain(connection, call.replace("11000", "0"));
			assertThat(pages(behind)).as(behind).isLessThan(100);
			assertThat(pages(over)).as(over).isGreaterThan(2 * pages(behind));
		}
	}

	@Test
	void aBacklogOfOtherJobsIsWalkedOverOnceForAllBufferedJobs() throws SQLException {
		try (DatabaseHandle fresh = firstBacklog();
				EngineDataSource engine = EngineDataSource.derive(fresh.hikari(), 1, Duration.ofSeconds(60));
				Connection connection = engine.getConnection();
				Statement statement = connection.createStatement()) {
			String call = prepare(statement, "claim_batches_of_three", this.claims.claimBatches,
					"'{A,B,C}', '{9,9,9}', '{1,1,1}', '{0,0,0}', '{9,9,9}', '{f,f,f}', '-infinity', '{A,B,C}', '{default}', '{0}', false, '{0,0,0}', 3, 1");
			String once = explain(connection, call);
			String forEach = explain(connection, call.replace("false", "true"));
			assertThat(pages(once)).as(once).isBetween(1_000, 3_000);
			assertThat(pages(forEach)).as(forEach).isGreaterThan(2 * pages(once));
		}
	}

	/**
	 * The first backlog of a new application: autovacuum comes once a minute.
	 */
	private static DatabaseHandle firstBacklog() {
		DatabaseHandle fresh = TestDatabase.create();
		new Migration(fresh.createDataSource(), "public", true).afterPropertiesSet();
		fresh.jdbc().sql("alter table gator_job set (autovacuum_enabled = false)").update();
		fresh.jdbc().sql("""
				insert into gator_job (queue, name, args)
				select 'default', 'Job', '[1]' from generate_series(1, 100000)
				""").update();
		return fresh;
	}

	private void fill() {
		fill(this.database);
	}

	private static void fill(DatabaseHandle database) {
		database.jdbc().sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				select 'default', 'Job', '[1]', case when n % 2 = 0 then now() - interval '1 hour' end
				  from generate_series(1, ?) as n
				""").param(ROWS).update();
	}

	private static String values(String... more) {
		List<String> all = new ArrayList<>(List.of(THREE_IDS, THREE_LEASES));
		all.addAll(List.of(more));
		return String.join(", ", all);
	}

	private static String prepare(Statement statement, String name, String text, String values) throws SQLException {
		StringBuilder numbered = new StringBuilder();
		int number = 0;
		for (char c : text.toCharArray()) {
			if (c == '?') {
				numbered.append('$').append(++number);
			}
			else {
				numbered.append(c);
			}
		}
		statement.execute("prepare " + name + " as " + numbered);
		String call = values.isEmpty() ? name : name + '(' + values + ')';
		// The plan is made here, for the table as it is.
		statement.execute("execute " + call);
		return call;
	}

	/**
	 * How often a statement of this session was planned for the values of one execution.
	 */
	private static int timesPlannedAgain(Statement statement) throws SQLException {
		try (ResultSet row = statement
			.executeQuery("select sum(custom_plans), sum(generic_plans) from pg_prepared_statements where from_sql")) {
			row.next();
			assertThat(row.getInt(2)).as("executions of a plan for all values").isPositive();
			return row.getInt(1);
		}
	}

	private static String explain(Connection connection, String call) throws SQLException {
		connection.setAutoCommit(false);
		try (PreparedStatement statement = connection.prepareStatement(EXPLAIN + "execute " + call);
				ResultSet row = statement.executeQuery()) {
			StringBuilder plan = new StringBuilder();
			while (row.next()) {
				plan.append(row.getString(1)).append('\n');
			}
			return plan.toString();
		}
		finally {
			connection.rollback();
			connection.setAutoCommit(true);
		}
	}

	/**
	 * What each of some nodes has read, over all its loops. The server rounds what a loop
	 * reads on average.
	 */
	private static List<Double> rowsReadBy(String node, String plan) {
		return Pattern.compile(node + ".*\\(actual rows=([\\d.]+) loops=(\\d+)\\)")
			.matcher(plan)
			.results()
			.map((found) -> Double.parseDouble(found.group(1)) * Integer.parseInt(found.group(2)))
			.toList();
	}

	/**
	 * Pages touched by the whole statement: the sum that stands at its root.
	 */
	private static int pages(String plan) {
		int pages = 0;
		java.util.regex.Matcher buffers = java.util.regex.Pattern.compile("Buffers: shared (.*)").matcher(plan);
		if (buffers.find()) {
			java.util.regex.Matcher numbers = java.util.regex.Pattern.compile("(?:hit|read)=(\\d+)")
				.matcher(buffers.group(1));
			while (numbers.find()) {
				pages += Integer.parseInt(numbers.group(1));
			}
		}
		return pages;
	}

}
