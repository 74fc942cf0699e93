package io.gator.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.gator.store.InsightStore;
import io.gator.store.StoreExceptions;
import io.gator.worker.PoolStatus;
import io.gator.worker.PoolStatus.Trouble;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

class GatorHealthIndicatorTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofSeconds(15);

	private static final Duration LONG = SHORT.plusNanos(1);

	private static PoolStatus pool(String name, Duration lease, @Nullable Duration silence, @Nullable Trouble trouble) {
		return new PoolStatus(name, true, false, 3, 10, 0, 0, 0, silence, lease, trouble);
	}

	private static Health health(PoolStatus... pools) {
		return Objects
			.requireNonNull(new GatorHealthIndicator(mock(InsightStore.class), () -> List.of(pools)).health());
	}

	private static void assertThatIt(PoolStatus pool, Status status, String state) {
		assertThat(health(pool).getStatus()).isEqualTo(status);
		assertThat(details(pool).get("state")).isEqualTo(state);
	}

	@Test
	void aPoolThatBeatsClaimsAndSettlesIsUp() {
		assertThatIt(pool("mail", LEASE, SHORT, null), Status.UP, "running");
	}

	@Test
	void aPoolIsDownWhenItWasSilentForHalfOfItsOwnLease() {
		assertThatIt(pool("mail", LEASE, LONG, null), Status.DOWN, "silent");
		assertThatIt(pool("mail", LEASE.multipliedBy(2), LONG, null), Status.UP, "running");
	}

	@Test
	void aPoolThatWasNeverHeardHasHalfOfItsLeaseToBegin() {
		assertThatIt(pool("mail", LEASE, null, null), Status.UP, "running");
		assertThatIt(pool("mail", LEASE, null, new Trouble(SHORT, true)), Status.UP, "waiting for the database");
		assertThatIt(pool("mail", LEASE, null, new Trouble(LONG, true)), Status.DOWN, "failing");
	}

	@Test
	void aPoolThatBeatsAndCannotWorkIsDownAfterHalfOfItsLease() {
		assertThatIt(pool("mail", LEASE, Duration.ZERO, new Trouble(SHORT, true)), Status.UP,
				"waiting for the database");
		assertThatIt(pool("mail", LEASE, Duration.ZERO, new Trouble(LONG, true)), Status.DOWN, "failing");
	}

	@Test
	void aPoolWithATroubleThatWillNotPassIsDownAtOnce() {
		assertThatIt(pool("mail", LEASE, Duration.ZERO, new Trouble(Duration.ZERO, false)), Status.DOWN, "failing");
	}

	@Test
	void theApplicationIsDownIfOneOfItsPoolsIs() {
		PoolStatus up = pool("mail", LEASE, Duration.ZERO, null);
		PoolStatus down = pool("reports", LEASE, LONG, null);
		PoolStatus stopping = stopping("late", true);
		assertThat(health(up, down).getStatus()).isEqualTo(Status.DOWN);
		assertThat(health(down, up, stopping).getStatus()).isEqualTo(Status.DOWN);
		assertThat(health(stopping, up, down).getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void aPoolThatStopsOrHasStoppedIsOutOfServiceHoweverLongItIsSilent() {
		assertThatIt(stopping("mail", true), Status.OUT_OF_SERVICE, "draining");
		assertThatIt(stopping("mail", false), Status.OUT_OF_SERVICE, "stopped");
		assertThat(health(pool("reports", LEASE, Duration.ZERO, null), stopping("mail", true)).getStatus())
			.isEqualTo(Status.OUT_OF_SERVICE);
	}

	private static PoolStatus stopping(String name, boolean running) {
		return new PoolStatus(name, running, running, 3, 10, 0, 0, 0, LONG, LEASE, null);
	}

	@Test
	void aDatabaseThatDoesNotAnswerIsDownWhateverThePoolsSayAndNoErrorIsShown() {
		InsightStore store = mock(InsightStore.class);
		willThrow(StoreExceptions.passing()).given(store).ping();
		Health health = Objects.requireNonNull(new GatorHealthIndicator(store,
				() -> List.of(pool("mail", LEASE, Duration.ZERO, null), stopping("late", true)))
			.health());
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("database", "unreachable").containsOnlyKeys("database", "pools");
	}

	@Test
	void aProcessWithoutPoolsOnlyTellsOfItsDatabase() {
		Health health = health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsExactly(Map.entry("database", "reachable"));
	}

	@Test
	void slotsThatAreStuckAreCountedWhereThereAreSome() {
		for (int stuck : List.of(1, 2)) {
			assertThat(details(new PoolStatus("mail", true, false, 3, 10, stuck, 0, 0, SHORT, LEASE, null))).isEqualTo(
					Map.of("state", "running", "busy", 3, "slots", 10, "stuck", stuck, "lastBeat", "15000 ms ago"));
		}
		assertThat(details(pool("mail", LEASE, SHORT, null)))
			.isEqualTo(Map.of("state", "running", "busy", 3, "slots", 10, "lastBeat", "15000 ms ago"));
	}

	private static Map<?, ?> details(PoolStatus pool) {
		Map<?, ?> pools = (Map<?, ?>) Objects.requireNonNull(health(pool).getDetails().get("pools"));
		return (Map<?, ?>) Objects.requireNonNull(pools.get(pool.pool()));
	}

}
