package io.gator.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.gator.test.StoppableServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The fault suite. The short form is a part of every build; the long one is what the
 * promises are measured with: {@code mvn verify -Pfaults}. The seed is printed, and taken
 * from {@code gator.fault.seed}.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FaultTests {

	private static final boolean LONG = Boolean.getBoolean("gator.fault.long");

	private static final long SEED = Long.getLong("gator.fault.seed", System.nanoTime() & 0xFFFFFF);

	private static StoppableServer server;

	@BeforeAll
	static void start() {
		System.out.println("FAULTS " + (LONG ? "long" : "short") + " form, -Dgator.fault.seed=" + SEED);
		server = StoppableServer.start();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	private static int times(int inShort, int inLong) {
		return LONG ? inLong : inShort;
	}

	@Test
	void killedWorkersLoseNothingAndTheirJobsRunAgainWithinSeconds() {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.defaults(SEED)).startWorkers(3)) {
			cluster.producer().start();
			for (int i = 0; i < times(3, 20); i++) {
				cluster.workBetween(2000, 6000);
				cluster.kill(cluster.any());
				cluster.startWorker();
				// Somebody must be there to take over, also where JVMs start slowly.
				await().atMost(Duration.ofMinutes(2)).until(() -> cluster.ready().size() >= 2);
			}
			cluster.work(Duration.ofSeconds(4));
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("kills, default settings");
			assertThat(Report.percentile(report.killedRecovery, 0.99)).isLessThan(5);
		}
	}

	@Test
	void aFrozenWorkerChangesNothingWhenItWakes() {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED).withLoad(6, 200, 1500))
			.startWorkers(2)) {
			cluster.producer().start();
			for (int i = 0; i < times(1, 8); i++) {
				cluster.work(Duration.ofSeconds(1));
				cluster.freeze(cluster.any(), Duration.ofMillis(900));
				cluster.work(Duration.ofSeconds(1));
				cluster.freeze(cluster.any(), cluster.settings().lease().multipliedBy(3));
			}
			cluster.work(Duration.ofSeconds(3));
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("freezes");
			assertThat(report.late).isPositive();
			assertThat(Report.percentile(report.frozenRecovery, 1)).isLessThan(7);
		}
	}

	@Test
	void anOutageOfTheServerNeedsNoRestartOfAnyWorker() {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED)).startWorkers(2)) {
			cluster.producer().start();
			cluster.work(Duration.ofSeconds(2));
			cluster.restart("fast", Duration.ofSeconds(times(8, 60)));
			cluster.work(Duration.ofSeconds(6));
			for (int i = 0; i < times(2, 10); i++) {
				cluster.restart("immediate", Duration.ZERO);
				cluster.workBetween(3000, 6000);
			}
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("outages");
			assertThat(cluster.alive()).hasSize(2);
			assertThat(Report.percentile(report.resumed, 1)).isLessThan(5);
		}
	}

	@Test
	void aTerminatedWorkerLeavesNothingRunningAndNothingCharged() {
		// With a short lease a machine that stands still would stop jobs as well, which
		// is
		// charged.
		try (Cluster cluster = new Cluster(server,
				Cluster.Settings.defaults(SEED).withLoad(4, 50, 2500).withShutdown(Duration.ofMillis(1500)))
			.startWorkers(2)) {
			cluster.producer().start();
			for (int i = 0; i < times(3, 50); i++) {
				cluster.workBetween(200, 1500);
				WorkerProcess worker = cluster.any();
				if (i % 3 == 1) {
					worker.terminate();
				}
				cluster.terminate(worker);
				cluster.startWorker();
				if (i % 3 == 2) {
					// In the middle of its start-up.
					WorkerProcess starting = cluster.startWorker();
					cluster.workBetween(300, 3000);
					cluster.terminate(starting);
				}
				cluster.awaitReady();
			}
			cluster.drain(Duration.ofSeconds(30)).check().accept("terminations");
		}
	}

	@Test
	void aJobThatEndsItsProcessIsDeadAfterItsLastAttemptAndTheOthersAreDone() throws Exception {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED)).startWorkers(2)) {
			cluster.producer().start();
			cluster.work(Duration.ofSeconds(1));
			cluster.producer().dispatch("Poison", 1, -1, false);
			for (int deaths = 0; deaths < 3; deaths++) {
				// Both may have died by now, one after the other.
				int ended = deaths + 1;
				await().atMost(Duration.ofSeconds(60))
					.until(() -> cluster.workers().stream().filter((worker) -> !worker.isAlive()).count() >= ended);
				cluster.replaceEnded(2);
			}
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("poison");
			assertThat(cluster.database().jdbc().sql("""
					select attempts || ' ' || error_details from gator_dead_job where name = 'Poison'
					""").query(String.class).single())
				.startsWith("3 The worker that ran this attempt is gone: pool default of process ");
			assertThat(cluster.workers().stream().filter((worker) -> !worker.isAlive())).hasSize(3)
				.allMatch((worker) -> worker.exitValue() == 66);
		}
	}

	@Test
	void aWorkerMayEndAtAnyStep() {
		List<String> steps = LONG
				? List.of("claim:before:3", "claim:after:1", "claim:after:20", "settle:before:1", "settle:before:10",
						"settle:after:1", "settle:after:10", "rescue:before:1", "rescue:after:1", "beat:after:2",
						"register:after:1", "rescue:before:2", "rescue:after:2")
				: List.of("claim:after:5", "settle:before:5", "settle:after:7", "rescue:after:1");
		try (Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED)).startWorkers(1)) {
			cluster.producer().start();
			for (String step : steps) {
				cluster.startWorker("gator.fault.halt=" + step);
				cluster.work(Duration.ofSeconds(times(0, 4)));
			}
			cluster.awaitReady();
			cluster.work(Duration.ofSeconds(6));
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("halted at " + steps);
			assertThat(cluster.workers().stream().filter((worker) -> !worker.isAlive())).hasSizeGreaterThan(2)
				.allMatch((worker) -> worker.exitValue() == Halt.STATUS);
		}
	}

	@Test
	void aWorkerMayEndWhileItGivesBackWhatItHasNotStarted() throws Exception {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.defaults(SEED).withLoad(40, 5, 10))) {
			WorkerProcess before = cluster.startWorker("gator.fault.halt=release:before:1",
					"gator.worker.prefetch=500ms");
			WorkerProcess after = cluster.startWorker("gator.fault.halt=release:after:1",
					"gator.worker.prefetch=500ms");
			cluster.startWorker();
			cluster.awaitReady();
			cluster.producer().start();
			long keeping = haltWithJobsInHand(cluster, before);
			long giving = haltWithJobsInHand(cluster, after);
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("halted at shutdown, before and after what was not started went back");
			assertThat(released(cluster, keeping)).isZero();
			assertThat(released(cluster, giving)).isPositive();
		}
	}

	/**
	 * Ask a worker to end when it holds far more than it runs.
	 * @return its identity
	 */
	private static long haltWithJobsInHand(Cluster cluster, WorkerProcess worker) throws Exception {
		cluster.producer().dispatch("Work", 8_000, -1, false);
		long identity = cluster.identity(worker);
		await().atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> cluster.database()
				.jdbc()
				.sql("select count(*) from gator_job where reserved_by = ?")
				.param(identity)
				.query(Integer.class)
				.single() > 100);
		worker.terminate();
		assertHalted("release", worker);
		return identity;
	}

	private static int released(Cluster cluster, long identity) {
		return cluster.database().jdbc().sql("""
				select count(*)
				  from fault_transition
				 where what = 'update' and old_worker = ? and worker is null and attempts < old_attempts
				""").param(identity).query(Integer.class).single();
	}

	private static void assertHalted(String step, WorkerProcess process) {
		assertThat(process.awaitEnd(90)).as(step).isTrue();
		assertThat(process.exitValue()).as(() -> step + " was not reached: " + process.log()).isEqualTo(Halt.STATUS);
	}

	@Test
	void aProcessMayEndAtAnyStepOfADispatchAndAllOfItIsThereOrNothing() {
		List<String> nothing = new ArrayList<>(List.of("insert:before:2", "commit:before:1", "insertMany:before:1",
				"insertMany:after:1", "commit:before:2"));
		List<String> all = new ArrayList<>(List.of("insert:after:2", "commit:after:1", "commit:after:2"));
		if (LONG) {
			nothing.addAll(List.of("insert:before:1", "insert:before:8", "insert:after:8", "insertMany:after:2",
					"insertMany:after:3", "insertMany:after:4", "commit:before:3"));
			all.addAll(List.of("insert:after:1", "insert:after:3", "commit:after:3"));
		}
		try (Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED))) {
			cluster.startWorker();
			Map<String, WorkerProcess> producers = new LinkedHashMap<>();
			Stream.of(nothing, all)
				.flatMap(List::stream)
				.forEach((step) -> producers.put(step, cluster.startProducer(step)));
			producers.forEach(FaultTests::assertHalted);
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("dispatches halted at " + producers.keySet());
			assertThat(report.duplicates).isZero();
			Operations operations = new Operations(cluster.workers());
			producers.forEach((step, producer) -> {
				Operations.Operation last = operations.unknown(producer);
				assertThat(operations.there(last)).as(step).isEqualTo(all.contains(step) ? last.count() : 0);
			});
		}
	}

	@Test
	void lostAnswersLoseNothingElse() {
		try (WireProxy proxy = new WireProxy(server.port());
				Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED))) {
			cluster.startWorker(proxy.port());
			cluster.startWorker(proxy.port());
			cluster.awaitReady();
			cluster.producer().start();
			for (int i = 0; i < times(1, 5); i++) {
				proxy.loseAnswers(WireProxy::isClaim, 7);
				cluster.work(Duration.ofSeconds(4));
				proxy.loseAnswers(WireProxy::isSettlement, 7);
				cluster.work(Duration.ofSeconds(4));
				proxy.loseAnswers(WireProxy::isCommit, 3);
				cluster.work(Duration.ofSeconds(3));
			}
			proxy.loseNothing();
			assertThat(proxy.lost()).isGreaterThan(5);
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.count("answers lost", proxy.lost());
			report.accept("lost answers");
			assertThat(report.late).as("a settlement whose answer was lost is its own").isZero();
		}
	}

	@Test
	void aWorkerThatIsCutOffOverlapsNobody() {
		try (WireProxy proxy = new WireProxy(server.port());
				Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED).withLoad(6, 200, 1500))) {
			cluster.startWorkers(1);
			WorkerProcess behind = cluster.startWorker(proxy.port());
			cluster.awaitReady();
			cluster.producer().start();
			for (int i = 0; i < times(1, 5); i++) {
				cluster.work(Duration.ofSeconds(1));
				proxy.delay(500);
				cluster.work(Duration.ofSeconds(3));
				proxy.delay(0);
				// Shorter than the lease, with the lock gone.
				proxy.refuse(true);
				proxy.reset();
				cluster.cut();
				cluster.work(Duration.ofMillis(1700));
				proxy.refuse(false);
				cluster.work(Duration.ofSeconds(3));
				// Longer than the lease, with the lock kept.
				long from = System.nanoTime();
				proxy.blackHole(true);
				cluster.cut();
				cluster.work(Duration.ofSeconds(5));
				proxy.blackHole(false);
				behind.isolate(from, System.nanoTime());
				cluster.work(Duration.ofSeconds(2));
			}
			cluster.drain(Duration.ofSeconds(30)).check().accept("cut off");
			assertThat(cluster.alive()).hasSize(2);
		}
	}

	@Test
	void sessionsTerminatedEverySecondStopNothing() {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED)).startWorkers(2)) {
			cluster.producer().start();
			cluster.work(Duration.ofSeconds(1));
			for (int i = 0; i < times(8, 60); i++) {
				cluster.terminateSessions();
				cluster.work(Duration.ofSeconds(1));
			}
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("sessions terminated");
			assertThat(cluster.alive()).hasSize(2);
		}
	}

}
