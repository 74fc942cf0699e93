package io.gator.startup;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.gator.store.InsightStore.ServerFacts;
import io.gator.worker.PoolSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StartupCheckTests {

	private static final Map<String, String> GOOD = Map.of("fsync", "on", "full_page_writes", "on",
			"synchronous_commit", "on", "autovacuum", "on", "track_counts", "on", "max_connections", "100",
			"superuser_reserved_connections", "3", "server_version", "18.6");

	private static final List<String> PLAN = List.of("Index Scan using gator_job_due on gator_job j_1",
			"Index Scan using gator_job_ready on gator_job j_2");

	@Test
	void nothingIsSaidOfASoundSetup() {
		StartupFacts facts = new Facts().build();
		assertThat(StartupCheck.all()).hasSize(8).allSatisfy((check) -> assertThat(check.check(facts)).isEmpty());
	}

	@Test
	void aServerThatDoesNotWriteWhatItCommitsIsNamed() {
		for (String setting : List.of("fsync", "full_page_writes", "synchronous_commit")) {
			assertThat(new DurabilityCheck().check(new Facts().set(setting, "off").build())).singleElement()
				.asString()
				.contains(setting + "=off")
				.containsIgnoringCase("set " + setting + "=on");
		}
	}

	@Test
	void aClaimThatDoesNotUseBothIndexesIsNamed() {
		Facts facts = new Facts();
		facts.plan = List.of("Sort", "Seq Scan on gator_job j_1", "Index Scan using gator_job_due on gator_job j_2");
		assertThat(new ClaimPlanCheck().check(facts.build())).singleElement().asString().contains("gator_job_ready");
		facts.plan = List.of("Index Scan using gator_job_due on gator_job j_1",
				"Index Scan using gator_job_pkey on gator_job j_2");
		assertThat(new ClaimPlanCheck().check(facts.build())).singleElement().asString().contains("gator_job_ready");
		facts.plan = List.of("Index Scan using gator_job_pkey on gator_job j_2");
		assertThat(new ClaimPlanCheck().check(facts.build())).hasSize(2);
		facts.plan = List.of();
		assertThat(new ClaimPlanCheck().check(facts.build())).isEmpty();
	}

	@Test
	void tablesWithoutAutovacuumAreNamed() {
		assertThat(new AutovacuumCheck().check(new Facts().set("autovacuum", "off").build())).hasSize(1);
		assertThat(new AutovacuumCheck().check(new Facts().set("track_counts", "off").build())).hasSize(1);
		Facts facts = new Facts();
		facts.withoutAutovacuum = List.of("gator_job");
		assertThat(new AutovacuumCheck().check(facts.build())).singleElement()
			.asString()
			.contains("alter table gator_job reset (autovacuum_enabled)");
	}

	@Test
	void aConnectionPoolSmallerThanTheSlotsIsNamedWithTheNumbers() {
		Facts facts = new Facts();
		facts.connections = 5;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement()
			.asString()
			.contains("at most 5 connections")
			.contains("10 jobs");
		facts.connections = 96;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement().asString().contains("97 in all");
		facts.connections = 0;
		assertThat(new ConnectionsCheck().check(facts.build())).isEmpty();
	}

	@Test
	void asManyConnectionsAsTheServerTakesAreEnough() {
		Facts facts = new Facts();
		facts.connections = 91;
		assertThat(new ConnectionsCheck().check(facts.build())).isEmpty();
		facts.connections = 92;
		assertThat(new ConnectionsCheck().check(facts.build())).hasSize(1);
	}

	@Test
	void whatTheServerDoesNotTellOfItsConnectionsIsNotHeldAgainstTheApplication() {
		Facts facts = new Facts().set("superuser_reserved_connections", "");
		facts.connections = 95;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement().asString().contains("100 in all");
		assertThat(new ConnectionsCheck().check(facts.set("max_connections", "").build())).isEmpty();
	}

	@Test
	void whereJobsAreTransactionalItIsSaidThatTheyHoldTheirConnections() {
		Facts facts = new Facts();
		facts.connections = 5;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement()
			.asString()
			.doesNotContain("hold theirs");
		facts.transactional = true;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement().asString().contains("hold theirs");
	}

	@Test
	void aShutdownThatLeavesNoTimeForTheLastOutcomesIsNamed() {
		Facts facts = new Facts();
		facts.springShutdown = Duration.ofSeconds(26);
		assertThat(new ShutdownCheck().check(facts.build())).singleElement()
			.asString()
			.contains("spring.lifecycle.timeout-per-shutdown-phase")
			.contains("29 s")
			.contains("26 s");
		facts.springShutdown = Duration.ofSeconds(29);
		assertThat(new ShutdownCheck().check(facts.build())).isEmpty();
	}

	@Test
	void aPoolerIsNamedUnlessPollingIsMeant() {
		Facts facts = new Facts();
		facts.pooled = true;
		assertThat(new PoolerCheck().check(facts.build())).singleElement()
			.asString()
			.contains("gator.worker.wake-up=poll");
		facts.listens = false;
		assertThat(new PoolerCheck().check(facts.build())).isEmpty();
	}

	@Test
	void aPoolerIsNoneOfTheBusinessOfAProcessThatOnlyDispatches() {
		Facts facts = new Facts();
		facts.pooled = true;
		facts.dispatchesOnly = true;
		assertThat(new PoolerCheck().check(facts.build())).isEmpty();
		assertThat(StartupReport.of(List.of(), facts.build())).contains("this process only dispatches")
			.doesNotContain("woken");
	}

	@Test
	void clocksThatAreApartAreNamed() {
		Facts facts = new Facts();
		facts.clock = Duration.ofSeconds(-90);
		assertThat(new ClockCheck().check(facts.build())).singleElement().asString().contains("90 s behind");
		facts.clock = Duration.ofSeconds(90);
		assertThat(new ClockCheck().check(facts.build())).singleElement().asString().contains("90 s ahead of");
		facts.clock = Duration.ofSeconds(5);
		assertThat(new ClockCheck().check(facts.build())).isEmpty();
	}

	@Test
	void aJvmThatDoesNotSpeakUnicodeIsNamed() {
		Facts facts = new Facts();
		facts.charset = StandardCharsets.US_ASCII;
		assertThat(new EncodingCheck().check(facts.build())).singleElement()
			.asString()
			.contains("-Dfile.encoding=UTF-8");
	}

	private static final class Facts {

		private final Map<String, String> settings = new LinkedHashMap<>(GOOD);

		private List<String> withoutAutovacuum = List.of();

		private List<String> plan = PLAN;

		private int connections = 10;

		private boolean transactional;

		private boolean pooled;

		private boolean dispatchesOnly;

		private boolean listens = true;

		private Duration springShutdown = Duration.ofSeconds(30);

		private Charset charset = StandardCharsets.UTF_8;

		private Duration clock = Duration.ZERO;

		Facts set(String name, String value) {
			this.settings.put(name, value);
			return this;
		}

		StartupFacts build() {
			PoolSettings pool = new PoolSettings("default", 10, Map.of(), false, Duration.ofSeconds(1),
					Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(25),
					false);
			return new StartupFacts(new ServerFacts(this.settings, this.withoutAutovacuum, "2", 0), this.plan,
					this.dispatchesOnly ? List.of() : List.of(pool), this.transactional, this.connections, 6,
					this.pooled, this.listens, this.springShutdown, this.charset, this.clock);
		}

	}

}
