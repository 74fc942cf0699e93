package io.gator.insight;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.gator.store.InsightStore;
import io.gator.store.QueueCount;
import io.gator.store.StoreExceptions;
import io.gator.store.TableFacts;
import io.gator.test.UnspeakableException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalMatchers.gt;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * What one refresh after the other makes of what the database tells.
 */
@ExtendWith(OutputCaptureExtension.class)
class InsightRefreshTests {

	private final InsightStore store = mock(InsightStore.class);

	@BeforeEach
	void alwaysTurn() {
		given(this.store.exchange(any(), any(), any())).willReturn(new InsightStore.Shared("{}", 0, List.of(), true));
	}

	private static TableFacts table(double updates, double hotUpdates) {
		return new TableFacts(0, 0, 0, updates, hotUpdates, null, 0, 0);
	}

	@Test
	void theShareOfHotUpdatesIsThatOfTheUpdatesSinceTheLookBefore() {
		given(this.store.table()).willReturn(table(0, 0), table(100, 90), table(300, 100), table(300, 100));
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		assertThat(insight.runOnce().hotShare()).as("there were no updates").isNaN();
		assertThat(insight.runOnce().hotShare()).isEqualTo(0.9);
		assertThat(insight.runOnce().hotShare()).isEqualTo(0.05);
		assertThat(insight.runOnce().hotShare()).as("there were none since").isEqualTo(0.05);
	}

	@Test
	void whoLooksAtTheFiguresSeesWhatIsThereNow() {
		given(this.store.exchange(any(), any(), any()))
			.willReturn(new InsightStore.Shared(FiguresJson.ofCounts(List.of(), table(1, 1)), 5, List.of(), false));
		given(this.store.count(anyInt())).willReturn(List.of(QueueCount.none("new")));
		AtomicLong time = new AtomicLong();
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMinutes(1), time::get);
		assertThat(insight.runOnce().queues()).as("those of another process").isEmpty();
		assertThat(insight.recent().queues()).containsExactly(QueueCount.none("new"));
		assertThat(insight.figures().queues()).as("those of the meters").isEmpty();
		time.addAndGet(Duration.ofMillis(900).toNanos());
		insight.recent();
		verify(this.store).count(anyInt());
		time.addAndGet(Duration.ofMillis(200).toNanos());
		insight.recent();
		verify(this.store, times(2)).count(anyInt());
	}

	@Test
	void whoLooksAtTheFiguresSeesTheLastRatesAndTheLastLookAtTheTable() {
		given(this.store.exchange(any(), any(), any())).willReturn(
				new InsightStore.Shared("{}", 0, List.of(FiguresJson.ofRates(Map.of("a", new Rate(1, 2)))), true));
		given(this.store.table()).willReturn(table(100, 90));
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		Figures last = insight.runOnce();
		Figures seen = insight.recent();
		assertThat(seen.countedAt()).isGreaterThan(last.countedAt());
		assertThat(seen.rate("a")).isEqualTo(new Rate(1, 2));
		assertThat(seen.rate("b")).isEqualTo(new Rate(0, 0));
		assertThat(seen.table()).isEqualTo(table(100, 90));
		assertThat(seen.hotShare()).isEqualTo(0.9);
	}

	@Test
	void figuresAreAsOldAsTheBeginningOfTheCount() {
		AtomicLong begun = new AtomicLong();
		given(this.store.count(anyInt())).willAnswer((call) -> {
			begun.set(System.nanoTime());
			return List.of();
		});
		given(this.store.table()).willReturn(table(1, 1));
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		assertThat(insight.recent().countedAt()).isLessThanOrEqualTo(begun.get());
		assertThat(insight.runOnce().countedAt()).isLessThanOrEqualTo(begun.get());
		verify(this.store).publish(any(), gt(0.0));
	}

	@Test
	void figuresAreThereRightAfterEachStart() {
		given(this.store.table()).willReturn(table(1, 1));
		Insight insight = new Insight(this.store, new Rates(), Duration.ofHours(1));
		AtomicInteger heard = new AtomicInteger();
		insight.onRefresh((figures) -> heard.incrementAndGet());
		for (int start : List.of(1, 2)) {
			insight.start();
			await().until(() -> heard.get() == start);
			insight.stop();
		}
	}

	@Test
	void whoWaitedForASlowCountSeesWhatItHasFound() {
		AtomicLong time = new AtomicLong();
		given(this.store.count(anyInt())).willAnswer((call) -> {
			time.addAndGet(Duration.ofSeconds(3).toNanos());
			return List.of(QueueCount.none("found"));
		});
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMinutes(1), time::get);
		insight.recent();
		assertThat(insight.recent().queues()).containsExactly(QueueCount.none("found"));
		verify(this.store).count(anyInt());
	}

	@Test
	void whereTheQueuesCannotBeCountedTheirLastCountsAreShownAndNobodyWaitsForThatAgain() {
		given(this.store.exchange(any(), any(), any())).willReturn(new InsightStore.Shared(
				FiguresJson.ofCounts(List.of(QueueCount.none("last")), table(1, 1)), 5, List.of(), false));
		given(this.store.count(anyInt())).willThrow(StoreExceptions.timeout());
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMinutes(1), () -> 0);
		insight.runOnce();
		for (int look = 0; look < 3; look++) {
			assertThat(insight.recent().queues()).containsExactly(QueueCount.none("last"));
			assertThat(insight.recent().ageSeconds()).isGreaterThanOrEqualTo(5);
		}
		verify(this.store).count(anyInt());
	}

	@Test
	void whoHasJustSeenFiguresSeesNewerOnesOfTheClusterAllTheSame() {
		given(this.store.exchange(any(), any(), any())).willReturn(new InsightStore.Shared(
				FiguresJson.ofCounts(List.of(QueueCount.none("newer")), table(1, 1)), 0, List.of(), false));
		given(this.store.count(anyInt())).willReturn(List.of(QueueCount.none("seen")));
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMinutes(1), () -> 0);
		assertThat(insight.recent().queues()).containsExactly(QueueCount.none("seen"));
		insight.runOnce();
		assertThat(insight.recent().queues()).containsExactly(QueueCount.none("newer"));
	}

	@Test
	void thatFiguresCannotBeRefreshedIsSaidOnceEachTimeThatBegins(CapturedOutput output) {
		given(this.store.table()).willThrow(StoreExceptions.passing())
			.willThrow(StoreExceptions.timeout())
			.willReturn(table(1, 1))
			.willThrow(StoreExceptions.data());
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMillis(1));
		insight.start();
		try {
			await().until(() -> warnings(output).size() == 2);
		}
		finally {
			insight.stop();
		}
		assertThat(warnings(output)).hasSize(2);
		assertThat(warnings(output).get(0)).contains(StoreExceptions.passing().getMessage());
		assertThat(warnings(output).get(1)).contains(StoreExceptions.data().getMessage());
	}

	@Test
	void anErrorThatCannotBeToldDoesNotEndTheFigures() {
		given(this.store.table()).willThrow(new UnspeakableException()).willReturn(table(100, 90));
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMillis(1));
		insight.start();
		try {
			await().until(() -> insight.figures().hotShare() == 0.9);
		}
		finally {
			insight.stop();
		}
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("are not refreshed for now")).toList();
	}

}
