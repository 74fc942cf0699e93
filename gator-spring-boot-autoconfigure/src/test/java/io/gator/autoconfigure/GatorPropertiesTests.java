package io.gator.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.gator.autoconfigure.GatorProperties.QueueOrder;
import io.gator.autoconfigure.GatorProperties.WakeUp;
import io.gator.worker.PoolSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

class GatorPropertiesTests extends AbstractPropertiesTests {

	@Test
	void everyPropertyHasADefault() {
		this.runner.run((context) -> {
			GatorProperties gator = context.getBean(GatorProperties.class);
			assertThat(gator.enabled()).isTrue();
			assertThat(gator.schema()).isEqualTo("public");
			assertThat(gator.migrate()).isTrue();
			assertThat(gator.maxPayload()).isEqualTo(DataSize.ofMegabytes(1));
			assertThat(gator.retry()).isEqualTo(new GatorProperties.Retry("exponential", 0));
			assertThat(gator.history().retention()).isEqualTo(Duration.ofDays(1));
			GatorProperties.Worker worker = gator.worker();
			assertThat(worker.enabled()).isTrue();
			assertThat(worker.concurrency()).isEqualTo(10);
			assertThat(worker.queues()).isEmpty();
			assertThat(worker.queueOrder()).isEqualTo(QueueOrder.WEIGHTED);
			assertThat(worker.pollInterval()).isEqualTo(Duration.ofSeconds(1));
			assertThat(worker.prefetch()).isEqualTo(Duration.ofMillis(50));
			assertThat(worker.heartbeat()).isEqualTo(Duration.ofSeconds(1));
			assertThat(worker.lease()).isEqualTo(Duration.ofSeconds(30));
			assertThat(worker.shutdownTimeout()).isEqualTo(Duration.ofSeconds(25));
			assertThat(worker.wakeUp()).isEqualTo(WakeUp.NOTIFY);
			assertThat(worker.pools()).isEmpty();
		});
	}

	@Test
	void everyPropertyCanBeSet() {
		yaml("""
				gator:
				  enabled: true
				  schema: jobs
				  migrate: false
				  max-payload: 2MB
				  statement-timeout: 20s
				  retry: {interval: exponential, max-retries: 3}
				  history: {retention: 0}
				  worker:
				    concurrency: 20
				    queues: {critical: 6, default: 2, "*": 1}
				    queue-order: strict
				    poll-interval: 2s
				    prefetch: 100
				    heartbeat: 2s
				    lease: 60s
				    shutdown-timeout: 20s
				    wake-up: poll
				    pools:
				      reports: {concurrency: 2, queues: {reports: 1}}
				      mails: {queues: {mails: 1}, queue-order: weighted, poll-interval: 3s, prefetch: 0, heartbeat: 500ms,
				        lease: 9s, shutdown-timeout: 0}
				""")
			.run((context) -> {
				GatorProperties gator = context.getBean(GatorProperties.class);
				assertThat(gator.schema()).isEqualTo("jobs");
				assertThat(gator.retry()).isEqualTo(new GatorProperties.Retry("exponential", 3));
				assertThat(gator.history().retention()).isZero();
				List<PoolSettings> pools = PoolSettingsFactory.create(gator.worker(), true);
				assertThat(pools.get(0))
					.isEqualTo(new PoolSettings("default", 20, Map.of("critical", 6, "default", 2, "*", 1), true,
							Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofSeconds(2),
							Duration.ofSeconds(60), Duration.ofSeconds(20), true));
				// What a pool does not set is as for the worker, but for its queues.
				assertThat(pools.get(1)).isEqualTo(new PoolSettings("reports", 2, Map.of("reports", 1), true,
						Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofSeconds(2), Duration.ofSeconds(60),
						Duration.ofSeconds(20), true));
				assertThat(pools.get(2))
					.isEqualTo(new PoolSettings("mails", 20, Map.of("mails", 1), false, Duration.ofSeconds(3),
							Duration.ZERO, Duration.ofMillis(500), Duration.ofSeconds(9), Duration.ZERO, true));
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "gator.max-payload=1B", "gator.max-payload=256MB", "gator.statement-timeout=1s",
			"gator.statement-timeout=10m", "gator.retry.max-retries=-1", "gator.history.retention=3650d",
			"gator.insight.interval=100ms", "gator.insight.interval=1h", "gator.insight.max-queues=1",
			"gator.insight.max-queues=1000", "gator.worker.concurrency=1", "gator.worker.concurrency=10000",
			"gator.worker.poll-interval=10ms", "gator.worker.poll-interval=1h", "gator.worker.prefetch=10s",
			"gator.worker.heartbeat=10s", "gator.worker.lease=3s", "gator.worker.lease=24h",
			"gator.worker.shutdown-timeout=1h", "gator.worker.queues.mail=1", "gator.worker.queues.mail=1000" })
	void aValueAtItsLimitIsTaken(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			gator.schema | Jobs | [a-z_][a-z0-9_]{0,62}
			gator.schema | a-b | [a-z_][a-z0-9_]{0,62}
			gator.schema | pg_jobs | not pg_* or information_schema
			gator.schema | pg_catalog | not pg_* or information_schema
			gator.schema | information_schema | not pg_* or information_schema
			gator.max-payload | 0B | 1B to 256MB
			gator.max-payload | 257MB | 1B to 256MB
			gator.statement-timeout | 100ms | PT1S to PT10M
			gator.retry.max-retries | -2 | -1 (no limit), 0 (no retries) or more
			gator.history.retention | -1s | PT0S to
			gator.insight.interval | 99ms | PT0.1S to PT1H
			gator.insight.interval | 61m | PT0.1S to PT1H
			gator.insight.max-queues | 0 | 1 to 1000
			gator.insight.max-queues | 1001 | 1 to 1000
			gator.worker.concurrency | 0 | 1 to 10000
			gator.worker.concurrency | 10001 | 1 to 10000
			gator.worker.queues.mail | 0 | a weight of 1 to 1000
			gator.worker.queues.mail | 1001 | a weight of 1 to 1000
			gator.worker.queues.mail | -1 | a weight of 1 to 1000
			gator.worker.poll-interval | 9ms | PT0.01S to PT1H
			gator.worker.poll-interval | 2h | PT0.01S to PT1H
			gator.worker.prefetch | 11s | PT0S to PT10S
			gator.worker.heartbeat | 10ms | PT0.05S to PT10M
			gator.worker.lease | 25h | PT0.15S to PT24H
			gator.worker.lease | 2s | three times gator.worker.heartbeat, which is PT1S
			gator.worker.shutdown-timeout | -1s | PT0S to PT1H
			gator.worker.pools.default.concurrency | 3 | another name
			""")
	void aValueThatIsNotAllowedIsRefusedWithThePropertyTheValueAndWhatIs(String property, String value,
			String allowed) {
		this.runner.withPropertyValues(property + "=" + value).run((context) -> {
			String name = property.startsWith("gator.worker.pools.default") ? "gator.worker.pools.default" : property;
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith(name + " is ");
			assertThat(analysis.getAction()).contains(name).contains(allowed);
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			concurrency | 0 | 1 to 10000
			queues.reports | 0 | a weight of 1 to 1000
			poll-interval | 1ms | PT0.01S to PT1H
			prefetch | 1m | PT0S to PT10S
			heartbeat | 20m | PT0.05S to PT10M
			lease | 1s | three times gator.worker.pools.reports.heartbeat
			shutdown-timeout | 2h | PT0S to PT1H
			""")
	void theValuesOfFurtherPoolsAreCheckedLikewise(String key, String value, String allowed) {
		this.runner.withPropertyValues("gator.worker.pools.reports." + key + "=" + value).run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith("gator.worker.pools.reports." + key + " is ");
			assertThat(analysis.getAction()).contains(allowed);
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			enabled | enabled | false | leave out a pool that is not to run
			wake-up | wake-up | poll | for all pools
			wakeUp | wake-up | poll | for all pools
			pools.more.concurrency | pools | 2 | a pool has none of its own
			""")
	void whatOnlyTheWorkerAsAWholeHasIsRefusedOfAPool(String key, String refused, String value, String allowed) {
		String property = "gator.worker.pools.reports." + key + "=" + value;
		for (ApplicationContextRunner each : List.of(this.runner,
				this.runner.withPropertyValues("gator.worker.pools.reports.concurrency=2"))) {
			each.withPropertyValues(property).run((context) -> {
				FailureAnalysis analysis = analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).startsWith("gator.worker.pools.reports." + refused + " is ");
				assertThat(analysis.getAction()).contains("only gator.worker." + refused).contains(allowed);
			});
		}
	}

	@Test
	void aNameOfAPoolWithADotIsWrittenInBrackets() {
		yaml("""
				gator:
				  worker:
				    pools:
				      big.reports:
				        concurrency: 2
				        queues: { reports: 1 }
				""").run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith("gator.worker.pools.big.reports.");
			assertThat(analysis.getAction()).contains("gator.worker.pools[big.reports]");
		});
	}

	@Test
	void aNameOfAPoolMayEndLikeAKeyBehindItsDot() {
		this.runner.withPropertyValues("gator.worker.pools.big.lease.concurrency=2")
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getAction())
				.contains("gator.worker.pools[big.lease]"));
	}

	@Test
	void aKeyThatAPoolDoesNotHaveIsLeftAlone() {
		this.runner.withPropertyValues("gator.worker.pools.reports.concurency=2")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theKeysOfAJobAreNotTakenAlongFromTheOneThatDispatchesIt() {
		this.runner.withPropertyValues("gator.mdc-keys=tenant,jobId")
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.startsWith("gator.mdc-keys is [tenant, jobId]"));
	}

	@Test
	void whatIsRefusedOfAPoolIsSeenInTheEnvironmentToo() {
		this.runner.withInitializer(variables(Map.of("GATOR_WORKER_POOLS_REPORTS_ENABLED", "false")))
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.startsWith("gator.worker.pools.reports.enabled is false; "));
	}

	@Test
	void anEnvironmentVariableMayMeanAPoolWhoseNameEndsLikeWhatIsRefused() {
		this.runner.withInitializer(variables(Map.of("GATOR_WORKER_POOLS_MY_POOLS_CONCURRENCY", "3")))
			.withPropertyValues("gator.worker.pools.my-pools.concurrency=2")
			.run((context) -> assertThat(worker(context).pools().get("my-pools").concurrency()).isEqualTo(3));
	}

	@Test
	void whatIsRefusedOfAPoolMayBeTheNameOfOne() {
		this.runner
			.withPropertyValues("gator.worker.pools.enabled.concurrency=2", "gator.worker.pools.pools.concurrency=2")
			.run((context) -> assertThat(worker(context).pools()).containsOnlyKeys("enabled", "pools"));
	}

	@Test
	void aQueueOrderThatDoesNotExistIsRefused() {
		this.runner.withPropertyValues("gator.worker.queue-order=random")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("random"));
	}

	@ParameterizedTest
	@CsvSource({ "my-reports, GATOR_WORKER_POOLS_MYREPORTS_CONCURRENCY",
			"Reports, GATOR_WORKER_POOLS_REPORTS_CONCURRENCY" })
	void aPoolThatTheEnvironmentOverridesIsThereOnce(String pool, String variable) {
		yaml("gator.worker.pools: {first: {concurrency: 3}, %s: {concurrency: 5, queues: {reports: 1}}}"
			.formatted(pool)).withInitializer(variables(Map.of(variable, "2"))).run((context) -> {
				Map<String, GatorProperties.Pool> pools = worker(context).pools();
				assertThat(pools).containsOnlyKeys("first", pool);
				assertThat(pools.get(pool).concurrency()).isEqualTo(2);
				assertThat(pools.get(pool).queues()).containsOnlyKeys("reports");
			});
	}

	@Test
	void poolsInBracketsWhoseNamesDifferByCaseAreTwo() {
		this.runner
			.withPropertyValues("gator.worker.pools.[Mail].concurrency=1", "gator.worker.pools.[mail].concurrency=2")
			.run((context) -> assertThat(worker(context).pools()).containsOnlyKeys("Mail", "mail"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "worker:", "worker: {queues: }", "worker: {queues: {}}", "worker: {queues: ~}",
			"worker: {queues: ' '}", "worker: {pools: }", "worker: {pools: {}}", "worker: {pools: ~}", "retry:",
			"history:", "insight:" })
	void whatIsLeftBlankIsNotSet(String blank) {
		yaml("gator: {" + blank + "}").run((context) -> {
			assertThat(context).hasNotFailed();
			GatorProperties gator = context.getBean(GatorProperties.class);
			assertThat(gator.worker().queues()).isEmpty();
			assertThat(gator.worker().pools()).isEmpty();
		});
	}

}
