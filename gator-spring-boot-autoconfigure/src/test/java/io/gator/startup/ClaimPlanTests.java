package io.gator.startup;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.store.EngineDataSource;
import io.gator.store.GatorStores;
import io.gator.store.InsightStore;
import io.gator.store.InsightStore.ServerFacts;
import io.gator.store.Migration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What PostgreSQL really plans, and what is said of it.
 */
@FreshDatabase
class ClaimPlanTests {

	private final JdbcClient jdbc;

	/** Plans depend on the settings of its sessions. */
	private final EngineDataSource engine;

	private final InsightStore store;

	ClaimPlanTests(DatabaseHandle database) {
		new Migration(database.createDataSource(), "public", true).afterPropertiesSet();
		this.jdbc = database.jdbc();
		this.engine = EngineDataSource.derive(database.hikari(), 1, Duration.ofSeconds(10));
		this.store = GatorStores.open(this.engine, "public", Duration.ofSeconds(10), true).insight();
	}

	@AfterEach
	void close() {
		this.engine.close();
	}

	@BeforeEach
	void soundAndEmpty() {
		this.jdbc.sql("truncate gator_job").update();
		this.jdbc.sql("""
				create index if not exists gator_job_ready on gator_job (queue, id) where next_execution_at is null
				""").update();
	}

	@Test
	void nothingIsSaidWhileBothIndexesAreThereHoweverSmallOrLargeTheTable() {
		assertThat(findings()).isEmpty();
		fill(5);
		assertThat(findings()).isEmpty();
		fill(20_000);
		assertThat(findings()).isEmpty();
	}

	@Test
	void aClaimWithoutTheIndexOfReadyJobsIsNamedWhateverItWalksInstead() {
		this.jdbc.sql("drop index gator_job_ready").update();
		assertThat(findings()).singleElement().asString().contains("the index gator_job_ready");
		fill(20_000);
		assertThat(findings()).singleElement().asString().contains("the index gator_job_ready");
	}

	@Test
	void anIndexThatIsNotValidIsNamed() {
		this.jdbc.sql("update pg_index set indisvalid = false where indexrelid = 'gator_job_ready'::regclass").update();
		try {
			fill(20_000);
			assertThat(findings()).singleElement().asString().contains("the index gator_job_ready");
		}
		finally {
			this.jdbc.sql("drop index gator_job_ready").update();
		}
	}

	@Test
	void whatAPoolerLeavesToThePlannerIsNotJudged(DatabaseHandle database) {
		fill(5);
		InsightStore pooled = GatorStores.open(database.hikari(), "public", Duration.ofSeconds(10), true).insight();
		assertThat(findings(pooled, false)).as("the planner reads all of a small table").isNotEmpty();
		assertThat(findings(pooled, true)).isEmpty();
	}

	private void fill(int rows) {
		this.jdbc.sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				select 'default', 'Job', '[]', case when i % 10 = 0 then now() end from generate_series(1, ?) i
				""").param(rows).update();
		this.jdbc.sql("analyze gator_job").update();
	}

	private List<String> findings() {
		return findings(this.store, false);
	}

	private static List<String> findings(InsightStore store, boolean pooled) {
		return new ClaimPlanCheck().check(new StartupFacts(new ServerFacts(Map.of(), List.of(), "2", 0), plan(store),
				List.of(), false, 10, 6, pooled, true, Duration.ofSeconds(30), StandardCharsets.UTF_8, Duration.ZERO));
	}

	private static List<String> plan(InsightStore store) {
		return store.claimPlan(List.of("default", "low"), Set.of("Job"));
	}

}
