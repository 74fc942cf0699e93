package io.gator.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.gator.Job;
import io.gator.Recurring;
import io.gator.RecurringInfo;
import io.gator.routing.Routes;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

/**
 * When ticks are made, and what the list says of them.
 */
@FreshDatabase
class RecurringTickerTests extends AbstractTickerTests {

	RecurringTickerTests(DatabaseHandle database) {
		super(database);
	}

	@Test
	void aTickIsDispatchedWhenItIsDueAndNotBefore() {
		assertThat(fresh(Hourly.class).runOnce()).isZero();
		this.clock.advance(Duration.ofMinutes(59));
		assertThat(fresh(Hourly.class).runOnce()).isZero();
		assertThat(this.told).isEmpty();
		this.clock.advance(Duration.ofMinutes(1).plusSeconds(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
		assertThat(jobs("Hourly")).isOne();
		assertThat(this.told).as("pools that may begin at once").containsExactly(entry("Hourly", "default"));
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
