package io.gator.insight;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

import io.gator.store.GatorStores;
import io.gator.store.InsightStore;
import io.gator.store.Migration;
import io.gator.store.QueueCount;
import io.gator.store.StoreException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.worker.AttemptOutcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@FreshDatabase
class InsightTests {

	private final DatabaseHandle database;

	private final JdbcClient jdbc;

	private final InsightStore store;

	InsightTests(DatabaseHandle database) {
		new Migration(database.createDataSource(), "public", true).afterPropertiesSet();
		this.database = database;
		this.jdbc = database.jdbc();
		this.store = GatorStores.open(database.hikari(3), "public", Duration.ofSeconds(10), true).insight();
	}

	@BeforeEach
	void empty() {
		this.jdbc.sql("truncate gator_job, gator_dead_job, gator_queue, gator_worker").update();
		this.jdbc.sql("delete from gator_insight where key <> 'cluster'").update();
		this.jdbc.sql("update gator_insight set taken_at = '1970-01-01', facts = '{}'").update();
	}

	@Test
	void figuresAreAsOldAsTheyAreThoughSomebodyTriesToCountThemAgain() {
		Insight one = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		Insight two = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		one.runOnce();
		assertThat(two.runOnce().ageSeconds()).isLessThan(30);
		this.jdbc.sql("""
				update gator_insight
				   set facts = (facts::jsonb || jsonb_build_object('countedAt', extract(epoch from now()) - 600))::json
				 where key = 'cluster'
				""").update();
		assertThat(two.runOnce().ageSeconds()).isBetween(590.0, 700.0);
	}

	@Test
	void whileTheQueuesCannotBeCountedTheFiguresOfTheTableAreRefreshedAllTheSame() throws Exception {
		this.jdbc.sql("insert into gator_queue (name) values ('a')").update();
		Insight one = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		Insight two = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		Figures counted = one.runOnce();
		this.jdbc.sql("""
				update gator_insight
				   set taken_at = now() - interval '10 minutes',
				       facts = (facts::jsonb || jsonb_build_object('countedAt', extract(epoch from now()) - 600))::json
				 where key = 'cluster'
				""").update();
		long counted10MinutesAgo = System.nanoTime();
		try (Connection blocking = this.database.createDataSource().getConnection();
				Statement statement = blocking.createStatement()) {
			blocking.setAutoCommit(false);
			statement.execute("insert into gator_queue (name) values ('uncommitted')");
			statement.execute("lock table gator_dead_job");
			assertThatExceptionOfType(StoreException.class).isThrownBy(one::runOnce);
			blocking.rollback();
		}
		long blockedUntil = System.nanoTime();
		for (Figures figures : List.of(one.figures(), two.runOnce())) {
			assertThat(figures.queues()).isEqualTo(counted.queues());
			assertThat(figures.ageSeconds()).as("the attempt to count took a while")
				.isBetween(600 + (blockedUntil - counted10MinutesAgo) / 1e9 - 2.9, 700.0);
			assertThat(figures.table().oldestSnapshot()).isGreaterThan(counted.table().oldestSnapshot());
		}
	}

	@Test
	void aRowThatSomebodyHasDeletedIsWrittenAnew() {
		this.jdbc.sql("delete from gator_insight").update();
		this.jdbc.sql("insert into gator_queue (name) values ('a') on conflict do nothing").update();
		Insight one = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		assertThat(one.runOnce().queues()).isNotEmpty();
		Insight two = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		assertThat(two.runOnce().queues()).isNotEmpty();
	}

	@Test
	void onlyOneProcessCountsInAnIntervalAndAllKnowTheSame() {
		this.jdbc.sql("insert into gator_queue (name) values ('a')").update();
		this.jdbc.sql("insert into gator_job (queue, name, args) values ('a', 'J', '[1]')").update();
		Rates here = new Rates();
		Rates there = new Rates();
		Insight one = new Insight(this.store, here, Duration.ofMinutes(1));
		Insight two = new Insight(this.store, there, Duration.ofMinutes(1));
		here.dispatched("Work", "a", 10);
		there.executed("J", "a", AttemptOutcome.SUCCEEDED, 1);
		there.executed("J", "a", AttemptOutcome.FAILED, 1);
		Figures first = one.runOnce();
		this.jdbc.sql("insert into gator_job (queue, name, args) values ('a', 'J', '[1]')").update();
		Figures second = two.runOnce();
		assertThat(first.queues().get(0).waiting()).isEqualTo(1);
		assertThat(second.queues()).isEqualTo(first.queues());
		assertThat(second.rate("a").in()).isPositive();
		assertThat(second.rate("a").out()).isPositive();
		assertThat(second.ageSeconds()).isBetween(0.0, 30.0);
		this.jdbc.sql("update gator_insight set taken_at = taken_at - interval '2 minutes' where key = 'cluster'")
			.update();
		assertThat(two.runOnce().queues().get(0).waiting()).isEqualTo(2);
	}

	@Test
	void figuresGoOnAfterTheDatabasesClockWasPutBack() {
		Insight one = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		Insight two = new Insight(this.store, new Rates(), Duration.ofMinutes(1));
		one.runOnce();
		this.jdbc.sql("insert into gator_queue (name) values ('a')").update();
		this.jdbc.sql("""
				update gator_insight
				   set facts = (facts::jsonb || jsonb_build_object('countedAt', extract(epoch from now()) + 3600))::json
				 where key = 'cluster'
				""").update();
		assertThat(two.runOnce().ageSeconds()).isBetween(0.0, 30.0);
		this.jdbc.sql("update gator_insight set taken_at = now() + interval '1 hour'").update();
		assertThat(two.runOnce().queues()).extracting(QueueCount::queue).containsExactly("a");
	}

	@Test
	void anInsightThatIsStartedStoppedAndStartedAgainLeavesNoThread() {
		Insight insight = new Insight(this.store, new Rates(), Duration.ofMillis(100));
		for (int i = 0; i < 3; i++) {
			insight.start();
			insight.start();
			assertThat(insight.isRunning()).isTrue();
			insight.stop();
			insight.stop();
		}
		// An executor says that it has ended a moment before its thread has.
		await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.noneMatch((name) -> name.startsWith("gator-insight")));
	}

}
