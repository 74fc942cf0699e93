package io.gator.maintenance;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.gator.Job;
import io.gator.Recurring;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Routes;
import io.gator.store.GatorStores;
import io.gator.store.TestClock;
import io.gator.store.UpkeepStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tickers of several processes on one database, whose clock stands where a test puts it.
 */
abstract class AbstractTickerTests {

	final DatabaseHandle database;

	final TestClock clock;

	final GatorStores stores;

	/** What tickers have told of: jobs and their queues. */
	final Map<String, String> told = new ConcurrentHashMap<>();

	private final Map<Class<?>, Routes> routes = new HashMap<>();

	AbstractTickerTests(DatabaseHandle database) {
		this.database = database;
		this.clock = new TestClock(database);
		this.stores = this.clock.stores();
	}

	@BeforeEach
	void empty() {
		forgetJobs();
		this.told.clear();
		this.database.jdbc().sql("delete from gator_recurring").update();
	}

	void forgetJobs() {
		this.database.jdbc().sql("delete from gator_job").update();
	}

	/** Another process: it knows nothing of what was planned and ticked. */
	RecurringTicker fresh(Class<?>... jobs) {
		return ticker(this.stores.upkeep(), jobs);
	}

	RecurringTicker ticker(UpkeepStore store, Class<?>... jobs) {
		return new RecurringTicker(store, () -> Stream.of(jobs).flatMap((job) -> routes(job).all().stream()).toList(),
				new ArgsCodec(List.of(), 1_000), this.told::put);
	}

	private Routes routes(Class<?> job) {
		return this.routes.computeIfAbsent(job, (type) -> {
			try (TestApplication application = TestApplication.start(this.database, List.of(type),
					"gator.worker.enabled=false")) {
				return application.bean(Routes.class);
			}
		});
	}

	int jobs(String name) {
		return this.database.jdbc()
			.sql("select count(*) from gator_job where name = ?")
			.param(name)
			.query(Integer.class)
			.single();
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

}
