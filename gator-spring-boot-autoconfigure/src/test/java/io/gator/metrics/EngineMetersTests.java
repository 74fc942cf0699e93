package io.gator.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.gator.maintenance.HistoryPruner;
import io.gator.routing.Routes;
import io.gator.worker.AttemptOutcome;
import io.gator.worker.PoolStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What each meter counts, and under which names.
 */
class EngineMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final Routes routes = mock(Routes.class);

	private final EngineMeters meters = new EngineMeters(this.registry, this.routes,
			new BoundedNames(2, List.of("mail")));

	private double dispatched(String name, String queue) {
		return this.registry.get("gator.jobs.dispatched").tag("name", name).tag("queue", queue).counter().count();
	}

	@Test
	void jobsAreCountedNotCalls() {
		this.meters.rescued(3);
		this.meters.leasesLost("default", 4);
		this.meters.claimed("default", 5, 1_000_000);
		this.meters.settled("default", 6, 2_000_000);
		assertThat(this.registry.get("gator.rescued").counter().count()).isEqualTo(3);
		assertThat(this.registry.get("gator.leases.lost").tag("pool", "default").counter().count()).isEqualTo(4);
		assertThat(this.registry.get("gator.claims").tag("pool", "default").timer().totalTime(TimeUnit.MICROSECONDS))
			.isEqualTo(1_000);
		assertThat(this.registry.get("gator.claims.jobs").summary().totalAmount()).isEqualTo(5);
		assertThat(this.registry.get("gator.settles").tag("pool", "default").timer().totalTime(TimeUnit.MICROSECONDS))
			.isEqualTo(2_000);
		assertThat(this.registry.get("gator.settles.jobs").summary().totalAmount()).isEqualTo(6);
	}

	@Test
	void attemptsAndWhatJobsWaitedBeforeAreTimed() {
		this.meters.executed("Unknown", "mail", AttemptOutcome.FAILED, 3_000_000);
		this.meters.waited("Unknown", "mail", 4_000_000);
		assertThat(this.registry.get("gator.jobs.executed")
			.tag("outcome", "failed")
			.timer()
			.totalTime(TimeUnit.MICROSECONDS)).isEqualTo(3_000);
		assertThat(this.registry.get("gator.jobs.wait").timer().totalTime(TimeUnit.MICROSECONDS)).isEqualTo(4_000);
	}

	@Test
	void turnsInWhichTheHistoryWasNotPrunedAreCounted() {
		HistoryPruner pruner = mock(HistoryPruner.class);
		given(pruner.deferred()).willReturn(2L);
		new HistoryMeters(pruner).bindTo(this.registry);
		assertThat(this.registry.get("gator.history.deferred").functionCounter().count()).isEqualTo(2);
	}

	@Test
	void aFormerNameCountsForTheJobAndNamesAndQueuesBeyondTheLimitAreOther() {
		given(this.routes.nameOf("Send")).willReturn("Send");
		given(this.routes.nameOf("Former")).willReturn("Send");
		this.meters.dispatched("Unknown", "first", 1);
		this.meters.dispatched("Former", "one too many", 4_000);
		this.meters.dispatched("Former", "mail", 20);
		this.meters.dispatched("Send", "mail", 300);
		this.meters.dispatched("Another", "and one more", 50_000);
		this.meters.dispatched("Another", "first", 600_000);
		assertThat(dispatched("Send", "mail")).as("a queue of the configuration comes first").isEqualTo(320);
		assertThat(dispatched("Send", "other")).isEqualTo(4_000);
		assertThat(dispatched("other", "other")).isEqualTo(50_000);
		assertThat(dispatched("other", "first")).isEqualTo(600_001);
		assertThat(this.registry.find("gator.jobs.dispatched").counters()).hasSize(4);
	}

	@Test
	void eachPoolHasItsOwnFigures() {
		List<PoolStatus> all = List.of(status("default", 3, 10, 1, 4, 5), status("other", 7, 6, 2, 8, 9));
		new PoolMeters(List.of("default", "other", "not there"), () -> all).bindTo(this.registry);
		assertThat(slots("default", "busy")).isEqualTo(3);
		assertThat(slots("default", "idle")).isEqualTo(7);
		assertThat(slots("default", "stuck")).isEqualTo(1);
		assertThat(gauge("gator.worker.buffered", "default")).isEqualTo(4);
		assertThat(gauge("gator.worker.unsettled", "default")).isEqualTo(5);
		assertThat(slots("other", "busy")).isEqualTo(7);
		assertThat(slots("other", "idle")).as("a slot that is stuck was replaced").isZero();
		assertThat(slots("other", "stuck")).isEqualTo(2);
		assertThat(gauge("gator.worker.buffered", "other")).isEqualTo(8);
		assertThat(gauge("gator.worker.unsettled", "other")).isEqualTo(9);
		assertThat(slots("not there", "busy")).isNaN();
	}

	private static PoolStatus status(String pool, int busy, int slots, int stuck, int buffered, int unsettled) {
		return new PoolStatus(pool, true, false, busy, slots, stuck, buffered, unsettled, Duration.ZERO,
				Duration.ofSeconds(30), null);
	}

	private double slots(String pool, String state) {
		return this.registry.get("gator.worker.slots").tag("pool", pool).tag("state", state).gauge().value();
	}

	private double gauge(String name, String pool) {
		return this.registry.get(name).tag("pool", pool).gauge().value();
	}

}
