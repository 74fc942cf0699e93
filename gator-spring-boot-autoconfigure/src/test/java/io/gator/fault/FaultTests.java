package io.gator.fault;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.gator.test.StoppableServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

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

	private static void accept(Report report, String title) {
		report.print(title);
		assertThat(report.violations()).isEmpty();
		assertThat(report.jobs).isPositive();
	}

	@Test
	void killedWorkersLoseNothingAndTheirJobsRunAgainWithinSeconds() {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.defaults(SEED)).startWorkers(3)) {
			cluster.producer().start();
			for (int i = 0; i < times(3, 20); i++) {
				cluster.workBetween(1000, 4000);
				cluster.kill(cluster.any());
				cluster.startWorker();
				cluster.work(Duration.ofSeconds(2));
			}
			cluster.work(Duration.ofSeconds(4));
			Report report = cluster.drain(Duration.ofSeconds(60)).check();
			accept(report, "kills, default settings");
			assertThat(Report.percentile(report.killedRecovery, 0.99)).isLessThan(5);
		}
	}

	@Test
	void aFrozenWorkerChangesNothingWhenItWakes() {
		try (Cluster cluster = new Cluster(server, Cluster.Settings.quick(SEED).withLoad(20, 200, 1500))
			.startWorkers(2)) {
			cluster.producer().start();
			for (int i = 0; i < times(1, 8); i++) {
				cluster.work(Duration.ofSeconds(1));
				cluster.freeze(cluster.any(), Duration.ofMillis(900));
				cluster.work(Duration.ofSeconds(1));
				cluster.freeze(cluster.any(), cluster.settings().lease().multipliedBy(3));
			}
			cluster.work(Duration.ofSeconds(3));
			Report report = cluster.drain(Duration.ofSeconds(60)).check();
			accept(report, "freezes");
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
			Report report = cluster.drain(Duration.ofSeconds(60)).check();
			accept(report, "outages");
			assertThat(cluster.alive()).hasSize(2);
			assertThat(Report.percentile(report.resumed, 1)).isLessThan(5);
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
			Report report = cluster.drain(Duration.ofSeconds(60)).check();
			accept(report, "sessions terminated");
			assertThat(cluster.alive()).hasSize(2);
		}
	}

}
