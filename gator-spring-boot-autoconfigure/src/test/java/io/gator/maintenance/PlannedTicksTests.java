package io.gator.maintenance;

import java.time.Duration;
import java.util.List;

import io.gator.RecurringInfo;
import io.gator.store.UpkeepStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Ticks are planned anew where the plan has changed, is gone or is out of time.
 */
@FreshDatabase
class PlannedTicksTests extends AbstractTickerTests {

	PlannedTicksTests(DatabaseHandle database) {
		super(database);
	}

	@Test
	void aChangedScheduleIsPlannedAnew() {
		fresh(Hourly.class).runOnce();
		this.database.jdbc()
			.sql("update gator_recurring set schedule = 'another', next_tick = now() + interval '1 year'")
			.update();
		fresh(Hourly.class).runOnce();
		this.clock.advance(Duration.ofHours(1).plusSeconds(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
	}

	@Test
	void theTickThatAnotherVersionHasPlannedIsLeftToItUnlessNobodyMakesIt() {
		RecurringTicker old = fresh(Hourly.class);
		long start = System.nanoTime();
		old.runOnce(start);
		this.database.jdbc()
			.sql("update gator_recurring set schedule = 'another', next_tick = test_now() + interval '1 minute'")
			.update();
		this.clock.advance(Duration.ofSeconds(65));
		assertThat(old.runOnce(start + Duration.ofHours(1).toNanos())).isZero();
		assertThat(this.stores.admin().recurring().get(0).schedule()).isEqualTo("another");
		this.clock.advance(Duration.ofSeconds(60));
		assertThat(old.runOnce(start + Duration.ofHours(2).toNanos())).isZero();
		assertThat(this.stores.admin().recurring().get(0).schedule()).isEqualTo("PT1H");
		this.clock.advance(Duration.ofMinutes(61));
		assertThat(old.runOnce(start + Duration.ofHours(4).toNanos())).isOne();
	}

	@Test
	void aRowThatSomebodyHasDeletedIsPlannedAnew() {
		RecurringTicker ticker = fresh(Hourly.class);
		long start = System.nanoTime();
		ticker.runOnce(start);
		this.database.jdbc().sql("delete from gator_recurring").update();
		ticker.runOnce(start + Duration.ofSeconds(31).toNanos());
		assertThat(this.stores.admin().recurring()).hasSize(1);
	}

	@Test
	void ticksGoOnAfterTheDatabasesClockWasPutBack() {
		for (Class<?> job : List.of(Hourly.class, OnTheHour.class)) {
			RecurringTicker ticker = fresh(job);
			long start = System.nanoTime();
			ticker.runOnce(start);
			this.clock.advance(Duration.ofHours(-5));
			assertThat(ticker.runOnce(start + Duration.ofSeconds(31).toNanos())).isZero();
			this.clock.advance(Duration.ofMinutes(61));
			assertThat(ticker.runOnce(start + Duration.ofHours(1).toNanos())).isOne();
			fresh(job).runOnce();
			this.clock.advance(Duration.ofHours(-5));
			fresh(job).runOnce();
			forgetJobs();
			this.clock.advance(Duration.ofMinutes(61));
			assertThat(fresh(job).runOnce()).isOne();
			assertThat(jobs(job.getSimpleName())).isOne();
		}
	}

	@Test
	void aTickThatIsPlannedIsNotPlannedAgainWhileItsTimeComes() {
		UpkeepStore store = mock(UpkeepStore.class, delegatesTo(this.stores.upkeep()));
		RecurringTicker ticker = ticker(store, Hourly.class, OnTheHour.class);
		long start = System.nanoTime();
		for (int minute = 0; minute < 3; minute++) {
			ticker.runOnce(start + Duration.ofMinutes(minute).toNanos());
		}
		verify(store, times(2)).plan(any());
	}

	@Test
	void theScheduleIsAskedForWhenATickIsDueAndEveryThirtySecondsUntilThen() {
		setClock("2031-02-03T02:59:50Z");
		assertThat(secondsUntilAskedAgain(OnTheHour.class)).isEqualTo(10);
		assertThat(secondsUntilAskedAgain(Hourly.class)).isEqualTo(30);
	}

	private int secondsUntilAskedAgain(Class<?> job) {
		UpkeepStore store = mock(UpkeepStore.class, delegatesTo(this.stores.upkeep()));
		RecurringTicker ticker = ticker(store, job);
		long start = System.nanoTime();
		ticker.runOnce(start);
		clearInvocations(store);
		int seconds = 0;
		while (seconds < 60 && mockingDetails(store).getInvocations().isEmpty()) {
			ticker.runOnce(start + Duration.ofSeconds(++seconds).toNanos());
		}
		return seconds;
	}

	@Test
	void aProcessWithoutRecurringJobsAsksForNothing() {
		UpkeepStore store = mock(UpkeepStore.class);
		assertThat(ticker(store).runOnce()).isZero();
		verifyNoInteractions(store);
	}

	@Test
	void aClockThatIsPutBackBySecondsMovesNoTick() {
		fresh(Hourly.class).runOnce();
		RecurringInfo planned = this.stores.admin().recurring().get(0);
		this.clock.advance(Duration.ofSeconds(-10));
		fresh(Hourly.class).runOnce();
		assertThat(this.stores.admin().recurring()).containsExactly(planned);
	}

	@Test
	void whoeverStoodStillWhileAnotherMadeATickDoesNotPlanItAgain() {
		setClock("2031-02-03T02:59:25Z");
		fresh(OnTheHour.class).runOnce();
		UpkeepStore standing = mock(UpkeepStore.class, delegatesTo(this.stores.upkeep()));
		willAnswer((plan) -> {
			setClock("2031-02-03T03:00:01Z");
			assertThat(fresh(OnTheHour.class).runOnce()).isOne();
			forgetJobs();
			this.stores.upkeep().plan(plan.getArgument(0));
			return null;
		}).given(standing).plan(any());
		assertThat(ticker(standing, OnTheHour.class).runOnce()).isZero();
		assertThat(jobs("OnTheHour")).isZero();
	}

	@Test
	void aTickThatSomebodyHasPutOutOfTimeIsPlannedAnewAndHoldsUpNoOther() {
		fresh(Hourly.class, Overlapping.class).runOnce();
		for (String never : List.of("-infinity", "infinity")) {
			this.database.jdbc()
				.sql("update gator_recurring set next_tick = ?::timestamptz where name = 'Hourly'")
				.param(never)
				.update();
			this.clock.advance(Duration.ofMinutes(10));
			assertThat(fresh(Hourly.class, Overlapping.class).runOnce()).isOne();
			assertThat(this.stores.admin().recurring()).hasSize(2).allMatch((job) -> job.nextTick().isPresent());
		}
		this.clock.advance(Duration.ofHours(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
	}

	private void setClock(String time) {
		this.database.jdbc().sql("update test_clock set stopped = ?::timestamptz").param(time).update();
	}

}
