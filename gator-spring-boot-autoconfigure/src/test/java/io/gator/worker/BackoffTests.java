package io.gator.worker;

import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import org.slf4j.Logger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

class BackoffTests {

	private final Logger logger = Mockito.mock();

	private final Backoff backoff = new Backoff(this.logger, "Polling");

	@Test
	void waitsGrowTwofoldToThreeSecondsAndNeverEnd() {
		long longest = 50;
		for (int failures = 0; failures < 10_000; failures++) {
			assertThat(this.backoff.failed(StoreExceptions.passing())).isBetween(longest / 2, longest);
			longest = Math.min(3000, 2 * longest);
		}
	}

	@Test
	void anErrorThatCannotBeLoggedIsAFailureAsAnyOther() {
		willThrow(new OutOfMemoryError()).given(this.logger).error(anyString(), any(), any(Throwable.class));
		this.backoff.begins(0);
		assertThat(this.backoff.failed(new IllegalStateException())).isBetween(25L, 50L);
		assertThat(this.backoff.trouble(1_000)).isEqualTo(new PoolStatus.Trouble(Duration.ofNanos(1_000), true));
		assertThat(this.backoff.failed(new IllegalStateException())).isBetween(50L, 100L);
	}

	@Test
	void waitsAreJittered() {
		Set<Long> waits = new HashSet<>();
		for (int i = 0; i < 20; i++) {
			this.backoff.failed(StoreExceptions.passing());
		}
		for (int i = 0; i < 1000; i++) {
			waits.add(this.backoff.failed(StoreExceptions.passing()));
		}
		assertThat(waits).hasSizeGreaterThan(300);
	}

	@Test
	void waitsAreShortAgainAfterASuccess() {
		for (int i = 0; i < 10; i++) {
			this.backoff.failed(StoreExceptions.passing());
		}
		assertThat(this.backoff.trouble(System.nanoTime())).isNotNull();
		this.backoff.succeeded();
		assertThat(this.backoff.trouble(System.nanoTime())).isNull();
		assertThat(this.backoff.failed(StoreExceptions.passing())).isBetween(25L, 50L);
	}

	@Test
	void aTroubleLastsFromTheFirstFailureAndIsOfTheKindOfTheLast() {
		this.backoff.failed(StoreExceptions.configuration());
		long first = System.nanoTime();
		assertThat(Objects.requireNonNull(this.backoff.trouble(first)).passing()).isFalse();
		this.backoff.failed(StoreExceptions.passing());
		PoolStatus.Trouble trouble = Objects.requireNonNull(this.backoff.trouble(first + 5_000_000_000L));
		assertThat(trouble.passing()).isTrue();
		assertThat(trouble.duration()).isGreaterThanOrEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void aTryThatHangsIsATroubleFromItsBeginToItsEnd() {
		this.backoff.begins(500);
		assertThat(this.backoff.trouble(1_000_000_500L)).as("as claims do now and then").isNull();
		assertThat(this.backoff.trouble(1_000_000_501L))
			.isEqualTo(new PoolStatus.Trouble(Duration.ofNanos(1_000_000_001L), true));
		this.backoff.succeeded();
		assertThat(this.backoff.trouble(9_000_000_000L)).isNull();
		this.backoff.begins(500);
		this.backoff.ends();
		assertThat(this.backoff.trouble(9_000_000_000L)).isNull();
	}

	@Test
	void whatFailsAfterALongTimeHasFailedSinceItBegan() {
		this.backoff.begins(0);
		this.backoff.failed(StoreExceptions.timeout());
		this.backoff.begins(9_000_000_000L);
		assertThat(this.backoff.trouble(10_000_000_000L))
			.isEqualTo(new PoolStatus.Trouble(Duration.ofSeconds(10), true));
	}

	@Test
	void whatWillNotPassIsTheWorseTroubleAndElseWhatHasLastedLonger() {
		PoolStatus.Trouble passing = new PoolStatus.Trouble(Duration.ofSeconds(2), true);
		PoolStatus.Trouble longer = new PoolStatus.Trouble(Duration.ofSeconds(3), true);
		PoolStatus.Trouble lasting = new PoolStatus.Trouble(Duration.ofSeconds(1), false);
		assertThat(PoolStatus.Trouble.worse(null, null)).isNull();
		assertThat(PoolStatus.Trouble.worse(passing, null)).isSameAs(passing);
		assertThat(PoolStatus.Trouble.worse(null, passing)).isSameAs(passing);
		assertThat(PoolStatus.Trouble.worse(passing, longer)).isSameAs(longer);
		assertThat(PoolStatus.Trouble.worse(longer, passing)).isSameAs(longer);
		assertThat(PoolStatus.Trouble.worse(longer, lasting)).isSameAs(lasting);
		assertThat(PoolStatus.Trouble.worse(lasting, longer)).isSameAs(lasting);
	}

	@Test
	void anOutageIsALineInTheLogAndItsEndAnother() {
		for (int i = 0; i < 100; i++) {
			this.backoff.failed(StoreExceptions.passing());
		}
		this.backoff.succeeded();
		this.backoff.succeeded();
		verify(this.logger, times(1)).warn(anyString(), any(), any());
		verify(this.logger, times(1)).info(anyString(), ArgumentMatchers.<Object>any());
		verify(this.logger, never()).error(anyString(), any(), any());
	}

	@Test
	void anEndIsOnlyToldToThoseWhoHeardOfTheBeginning() {
		this.backoff.failed(StoreExceptions.passing());
		this.backoff.succeeded();
		// Within the same minute, so nothing is said of it.
		this.backoff.failed(StoreExceptions.passing());
		this.backoff.succeeded();
		verify(this.logger, times(1)).warn(anyString(), any(), any());
		verify(this.logger, times(1)).info(anyString(), ArgumentMatchers.<Object>any());
	}

	@Test
	void whatWaitingDoesNotMendIsAnError() {
		this.backoff.failed(StoreExceptions.configuration());
		new Backoff(this.logger, "Settling").failed(new IllegalStateException("a bug"));
		verify(this.logger, times(2)).error(anyString(), any(), any(Throwable.class));
		verify(this.logger, never()).warn(anyString(), any(), any());
	}

}
