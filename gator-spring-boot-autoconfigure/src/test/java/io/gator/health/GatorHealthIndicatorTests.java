package io.gator.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.gator.store.InsightStore;
import io.gator.worker.PoolStatus;
import io.gator.worker.PoolStatus.Trouble;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
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
		Health health = health(pool);
		assertThat(health.getStatus()).isEqualTo(status);
		assertThat(health.getDetails()).extractingByKey("pools")
			.extracting((pools) -> ((Map<?, ?>) ((Map<?, ?>) pools).get("mail")).get("state"))
			.isEqualTo(state);
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
	void onePoolThatIsDownIsEnough() {
		assertThat(health(pool("mail", LEASE, Duration.ZERO, null), pool("reports", LEASE, LONG, null)).getStatus())
			.isEqualTo(Status.DOWN);
	}

}
