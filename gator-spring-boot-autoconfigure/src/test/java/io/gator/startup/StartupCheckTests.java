package io.gator.startup;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StartupCheckTests {

	@Test
	void nothingIsSaidOfASoundSetup() {
		StartupFacts facts = new TestFacts().build();
		assertThat(StartupCheck.all()).hasSize(8).allSatisfy((check) -> assertThat(check.check(facts)).isEmpty());
	}

	@Test
	void aServerThatDoesNotWriteWhatItCommitsIsNamed() {
		for (String setting : List.of("fsync", "full_page_writes", "synchronous_commit")) {
			assertThat(new DurabilityCheck().check(new TestFacts().set(setting, "off").build())).singleElement()
				.asString()
				.contains(setting + "=off")
				.containsIgnoringCase("set " + setting + "=on");
		}
	}

	@Test
	void aClaimThatDoesNotUseBothIndexesIsNamed() {
		TestFacts facts = new TestFacts();
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
		assertThat(new AutovacuumCheck().check(new TestFacts().set("autovacuum", "off").build())).hasSize(1);
		assertThat(new AutovacuumCheck().check(new TestFacts().set("track_counts", "off").build())).hasSize(1);
		TestFacts facts = new TestFacts();
		facts.withoutAutovacuum = List.of("gator_job");
		assertThat(new AutovacuumCheck().check(facts.build())).singleElement()
			.asString()
			.contains("alter table gator_job reset (autovacuum_enabled)");
	}

	@Test
	void aConnectionPoolSmallerThanTheSlotsIsNamedWithTheNumbers() {
		TestFacts facts = new TestFacts();
		facts.connections = 5;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement()
			.asString()
			.contains("at most 5 connections")
			.contains("10 jobs");
		facts.connections = 1;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement()
			.asString()
			.contains("at most 1 connections");
		facts.connections = 96;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement().asString().contains("97 in all");
		facts.connections = 0;
		assertThat(new ConnectionsCheck().check(facts.build())).isEmpty();
	}

	@Test
	void asManyConnectionsAsTheServerTakesAreEnough() {
		TestFacts facts = new TestFacts();
		facts.connections = 91;
		assertThat(new ConnectionsCheck().check(facts.build())).isEmpty();
		facts.connections = 92;
		assertThat(new ConnectionsCheck().check(facts.build())).hasSize(1);
	}

	@Test
	void whatTheServerDoesNotTellOfItsConnectionsIsNotHeldAgainstTheApplication() {
		TestFacts facts = new TestFacts().set("superuser_reserved_connections", "");
		facts.connections = 95;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement().asString().contains("100 in all");
		assertThat(new ConnectionsCheck().check(facts.set("max_connections", "").build())).isEmpty();
	}

	@Test
	void whereJobsAreTransactionalItIsSaidThatTheyHoldTheirConnections() {
		TestFacts facts = new TestFacts();
		facts.connections = 5;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement()
			.asString()
			.doesNotContain("hold theirs");
		facts.transactional = true;
		assertThat(new ConnectionsCheck().check(facts.build())).singleElement().asString().contains("hold theirs");
	}

	@Test
	void aShutdownThatLeavesNoTimeForTheLastOutcomesIsNamed() {
		TestFacts facts = new TestFacts();
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
		TestFacts facts = new TestFacts();
		facts.pooled = true;
		assertThat(new PoolerCheck().check(facts.build())).singleElement()
			.asString()
			.contains("gator.worker.wake-up=poll");
		facts.listens = false;
		assertThat(new PoolerCheck().check(facts.build())).isEmpty();
	}

	@Test
	void aPoolerIsNoneOfTheBusinessOfAProcessThatOnlyDispatches() {
		TestFacts facts = new TestFacts();
		facts.pooled = true;
		facts.dispatchesOnly = true;
		assertThat(new PoolerCheck().check(facts.build())).isEmpty();
		assertThat(StartupReport.of(List.of(), facts.build())).contains("this process only dispatches")
			.doesNotContain("woken");
	}

	@Test
	void clocksThatAreApartAreNamed() {
		TestFacts facts = new TestFacts();
		facts.clock = Duration.ofSeconds(-90);
		assertThat(new ClockCheck().check(facts.build())).singleElement().asString().contains("90 s behind");
		facts.clock = Duration.ofSeconds(90);
		assertThat(new ClockCheck().check(facts.build())).singleElement().asString().contains("90 s ahead of");
		facts.clock = Duration.ofSeconds(5);
		assertThat(new ClockCheck().check(facts.build())).isEmpty();
	}

	@Test
	void aJvmThatDoesNotSpeakUnicodeIsNamed() {
		TestFacts facts = new TestFacts();
		facts.charset = StandardCharsets.US_ASCII;
		assertThat(new EncodingCheck().check(facts.build())).singleElement()
			.asString()
			.contains("-Dfile.encoding=UTF-8");
	}

}
