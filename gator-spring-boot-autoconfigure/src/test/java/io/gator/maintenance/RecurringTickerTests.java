package io.gator.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.RecurringInfo;
import io.gator.Unique;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Routes;
import io.gator.store.GatorStores;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.TestClock;
import io.gator.store.UpkeepStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

@FreshDatabase
class RecurringTickerTests {

	private final DatabaseHandle database;

	private final TestClock clock;

	private final GatorStores stores;

	private final Map<Class<?>, Routes> routes = new HashMap<>();

	RecurringTickerTests(DatabaseHandle database) {
		this.database = database;
		this.clock = new TestClock(database);
		this.stores = this.clock.stores();
	}

	@BeforeEach
	void empty() {
		this.database.jdbc().sql("delete from gator_job").update();
		this.database.jdbc().sql("delete from gator_recurring").update();
	}

	@Test
	void aTickIsDispatchedWhenItIsDueAndNotBefore() {
		assertThat(fresh(Hourly.class).runOnce()).isZero();
		this.clock.advance(Duration.ofMinutes(59));
		assertThat(fresh(Hourly.class).runOnce()).isZero();
		this.clock.advance(Duration.ofMinutes(1).plusSeconds(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
		assertThat(jobs("Hourly")).isOne();
	}

	@Test
	void theFirstTickOfAJobThatIsNewIsMadeInTime() {
		RecurringTicker ticker = fresh(Often.class);
		long start = System.nanoTime();
		assertThat(ticker.runOnce(start)).isZero();
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(ticker.runOnce(start + Duration.ofSeconds(10).toNanos())).isOne();
		assertThat(jobs("Often")).isOne();
	}

	@Test
	void twentyProcessesMakeEachTickOnce() throws Exception {
		fresh(Overlapping.class).runOnce();
		for (int tick = 1; tick <= 5; tick++) {
			this.clock.advance(Duration.ofMinutes(5));
			List<RecurringTicker> tickers = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				tickers.add(fresh(Overlapping.class));
			}
			CyclicBarrier together = new CyclicBarrier(tickers.size());
			var threads = Executors.newFixedThreadPool(tickers.size());
			try {
				List<Future<Integer>> made = new ArrayList<>();
				for (RecurringTicker ticker : tickers) {
					made.add(threads.submit(() -> {
						together.await();
						return ticker.runOnce();
					}));
				}
				int total = 0;
				for (Future<Integer> each : made) {
					total += each.get();
				}
				assertThat(total).isOne();
			}
			finally {
				threads.shutdown();
			}
			assertThat(jobs("Overlapping")).isEqualTo(tick);
		}
	}

	@Test
	void aTickIsSkippedWhileTheJobOfTheLastOneLives() {
		fresh(Hourly.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		fresh(Hourly.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
		assertThat(jobs("Hourly")).isOne();
		this.clock.advance(Duration.ofHours(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
		assertThat(jobs("Hourly")).as("behind a tick that was skipped").isOne();
		this.database.jdbc().sql("delete from gator_job").update();
		this.clock.advance(Duration.ofHours(1));
		fresh(Hourly.class).runOnce();
		assertThat(jobs("Hourly")).isOne();
	}

	@Test
	void aTickOfAUniqueJobIsSkippedWhileOneThatWasDispatchedLives() {
		fresh(Sync.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		try (TestApplication application = producer()) {
			application.bean(JobTemplate.class).dispatch(Sync.class);
		}
		assertThat(fresh(Sync.class).runOnce()).isOne();
		assertThat(jobs("Sync")).isOne();
		this.database.jdbc().sql("delete from gator_job").update();
		this.clock.advance(Duration.ofHours(1));
		assertThat(fresh(Sync.class).runOnce()).isOne();
		assertThat(jobs("Sync")).isOne();
	}

	@Test
	void aUniqueJobIsNotDispatchedWhileThatOfItsTickLives() {
		fresh(Sync.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		fresh(Sync.class).runOnce();
		Map<String, Object> job = this.database.jdbc()
			.sql("select id, unique_until_started from gator_job")
			.query()
			.singleRow();
		assertThat(job).containsEntry("unique_until_started", true);
		try (TestApplication application = producer()) {
			assertThat(application.bean(JobTemplate.class).dispatch(Sync.class)).isEqualTo(job.get("id"));
		}
	}

	@Test
	void aTickWaitsForTheDispatchOfAUniqueJobThatMayYetBeRolledBack() {
		fresh(Sync.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		try (TestApplication application = producer()) {
			new TransactionTemplate(application.bean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					application.bean(JobTemplate.class).dispatch(Sync.class);
					// Far less than a statement may take: other ticks are due as well.
					assertTimeout(Duration.ofSeconds(15), () -> assertThat(fresh(Sync.class).runOnce()).isZero());
					status.setRollbackOnly();
				});
		}
		assertThat(fresh(Sync.class).runOnce()).isOne();
		assertThat(jobs("Sync")).isOne();
	}

	private TestApplication producer() {
		return TestApplication.start(this.database, List.of(Sync.class), "gator.worker.enabled=false");
	}

	@Test
	void missedTicksAreMadeUpForByOneRun() {
		fresh(Hourly.class).runOnce();
		this.clock.advance(Duration.ofHours(10));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
		assertThat(fresh(Hourly.class).runOnce()).isZero();
		assertThat(jobs("Hourly")).isOne();
	}

	@Test
	void missedTicksAreGoneWhereTheJobSaysSo() {
		fresh(Skipping.class).runOnce();
		this.clock.advance(Duration.ofHours(10));
		assertThat(fresh(Skipping.class).runOnce()).isOne();
		assertThat(jobs("Skipping")).isZero();
		assertThat(this.stores.admin().recurring().get(0).lastTick()).isEmpty();
		this.clock.advance(Duration.ofHours(1));
		fresh(Skipping.class).runOnce();
		assertThat(jobs("Skipping")).isOne();
	}

	@Test
	void aJobThatIsSwitchedOffDoesNotTick() {
		fresh(Off.class).runOnce();
		this.clock.advance(Duration.ofDays(1));
		assertThat(fresh(Off.class).runOnce()).isZero();
		assertThat(this.stores.admin().recurring()).isEmpty();
	}

	@Test
	void aJobWhosePlaceholderSwitchesItOffDoesNotTick() {
		fresh(OffByDefault.class).runOnce();
		this.clock.advance(Duration.ofDays(1));
		assertThat(fresh(OffByDefault.class).runOnce()).isZero();
		assertThat(this.stores.admin().recurring()).isEmpty();
	}

	@Test
	void aJobThatLeftTheCodeStopsTicking() {
		fresh(Hourly.class).runOnce();
		fresh(Overlapping.class).runOnce();
		this.clock.advance(Duration.ofHours(2));
		assertThat(fresh(Overlapping.class).runOnce()).isOne();
		assertThat(jobs("Hourly")).isZero();
	}

	@Test
	void theListShowsWhenAJobTickedLastAndWhenItTicksNext() {
		fresh(Hourly.class).runOnce();
		RecurringInfo planned = this.stores.admin().recurring().get(0);
		assertThat(planned.name()).isEqualTo("Hourly");
		assertThat(planned.schedule()).isEqualTo("PT1H");
		assertThat(planned.lastTick()).isEmpty();
		Instant first = planned.nextTick().orElseThrow();
		this.clock.advance(Duration.ofMinutes(61));
		fresh(Hourly.class).runOnce();
		assertThat(this.stores.admin().recurring()).singleElement().satisfies((ticked) -> {
			assertThat(ticked.lastTick()).hasValue(first);
			assertThat(ticked.nextTick()).hasValue(first.plus(Duration.ofHours(1)));
		});
	}

	@Test
	void aTickThatNobodyMakesIsNotListedAsTheNextOne() {
		fresh(Hourly.class).runOnce();
		this.clock.advance(Duration.ofHours(1).plusMinutes(4));
		assertThat(this.stores.admin().recurring().get(0).nextTick()).isPresent();
		this.clock.advance(Duration.ofMinutes(2));
		assertThat(this.stores.admin().recurring().get(0).nextTick()).isEmpty();
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
			this.database.jdbc().sql("delete from gator_job").update();
			this.clock.advance(Duration.ofMinutes(61));
			assertThat(fresh(job).runOnce()).isOne();
			assertThat(jobs(job.getSimpleName())).isOne();
		}
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
			this.database.jdbc().sql("delete from gator_job").update();
			this.stores.upkeep().plan(plan.getArgument(0));
			return null;
		}).given(standing).plan(any());
		assertThat(ticker(standing, OnTheHour.class).runOnce()).isZero();
		assertThat(jobs("OnTheHour")).isZero();
	}

	@Test
	void aJobThatIsFoundAfterSomebodyHasDispatchedTicksToo() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Impatient.class, Unseen.class))) {
			assertThat(application.bean(Impatient.class).known).isFalse();
			await().until(() -> this.stores.admin()
				.recurring()
				.stream()
				.anyMatch((recurring) -> recurring.name().equals("Nightly")));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "P0001", "23514", "22P02" })
	void aTickThatTheDatabaseRefusesKeepsNoOtherJobFromTicking(String state) {
		fresh(Hourly.class, Overlapping.class).runOnce();
		for (String refused : List.of("Hourly", "Overlapping")) {
			this.database.jdbc().sql("delete from gator_job").update();
			this.database.jdbc().sql("""
					create or replace function refuse() returns trigger language plpgsql as $$
					begin
					    if new.name = '%s' then
					        raise 'not this one' using errcode = '%s';
					    end if;
					    return new;
					end $$
					""".formatted(refused, state)).update();
			this.database.jdbc()
				.sql("create trigger refuse before insert on gator_job for each row execute function refuse()")
				.update();
			try {
				this.clock.advance(Duration.ofHours(1));
				assertThatExceptionOfType(StoreException.class).as("somebody has to know")
					.isThrownBy(fresh(Hourly.class, Overlapping.class)::runOnce)
					.withMessageContaining("not this one");
				assertThat(List.of(jobs("Hourly"), jobs("Overlapping"))).containsExactlyInAnyOrder(0, 1);
				assertThat(jobs(refused)).isZero();
			}
			finally {
				this.database.jdbc().sql("drop function refuse cascade").update();
			}
			assertThat(fresh(Hourly.class, Overlapping.class).runOnce()).as("it was not lost").isOne();
		}
	}

	@Test
	void afterAnErrorTheScheduleIsAskedForASecondLater() {
		UpkeepStore failing = mock(UpkeepStore.class);
		given(failing.schedule(any())).willThrow(StoreExceptions.passing());
		RecurringTicker ticker = ticker(failing, Hourly.class);
		long time = System.nanoTime();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> ticker.runOnce(time));
		assertThat(ticker.runOnce(time + Duration.ofMillis(999).toNanos())).isZero();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> ticker.runOnce(time + Duration.ofSeconds(1).toNanos()));
		then(failing).should(times(2)).schedule(any());
	}

	@Test
	void whileAllFailsNoOtherTickIsTried() {
		fresh(Hourly.class, Overlapping.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		UpkeepStore failing = mock(UpkeepStore.class, delegatesTo(this.stores.upkeep()));
		willThrow(StoreExceptions.passing()).given(failing).tick(any());
		RecurringTicker ticker = ticker(failing, Hourly.class, Overlapping.class);
		assertThatExceptionOfType(StoreException.class).isThrownBy(ticker::runOnce);
		then(failing).should().tick(any());
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

	/** Another process: it knows nothing of what was planned and ticked. */
	private RecurringTicker fresh(Class<?>... jobs) {
		return ticker(this.stores.upkeep(), jobs);
	}

	private RecurringTicker ticker(UpkeepStore store, Class<?>... jobs) {
		return new RecurringTicker(store, () -> Stream.of(jobs).flatMap((job) -> routes(job).all().stream()).toList(),
				new ArgsCodec(List.of(), 1_000), (name, queue) -> {
				});
	}

	private Routes routes(Class<?> job) {
		return this.routes.computeIfAbsent(job, (type) -> {
			try (TestApplication application = TestApplication.start(this.database, List.of(type),
					"gator.worker.enabled=false")) {
				return application.bean(Routes.class);
			}
		});
	}

	private int jobs(String name) {
		return this.database.jdbc()
			.sql("select count(*) from gator_job where name = ?")
			.param(name)
			.query(Integer.class)
			.single();
	}

	/** Looks for jobs while beans are made, as a dispatch does. */
	static class Impatient {

		private final boolean known;

		Impatient(Routes routes) {
			this.known = routes.names().contains("Nightly");
		}

	}

	/** Tells of its job only that it is one of many things. */
	@Configuration(proxyBeanMethods = false)
	static class Unseen {

		@Bean
		Runnable nightly() {
			return new Nightly();
		}

	}

	@Job
	@Recurring(every = "10s")
	static class Often {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "1h")
	static class Nightly implements Runnable {

		@Override
		public void run() {
		}

		void handle() {
		}

	}

	@Job
	@Recurring(every = "1h")
	@Unique(until = Unique.Until.STARTED)
	static class Sync {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "1h")
	static class Hourly {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "0 0 * * * *")
	static class OnTheHour {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "5m", overlap = true)
	static class Overlapping {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "1h", misfire = Recurring.Misfire.SKIP)
	static class Skipping {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "${nobody.sets.this:-}", zone = "${nor.this:Europe/Paris}")
	static class OffByDefault {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "-")
	static class Off {

		void handle() {
		}

	}

}
