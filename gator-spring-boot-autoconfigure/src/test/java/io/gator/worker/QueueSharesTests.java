package io.gator.worker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How a pool shares its slots among queues, by the order in which jobs really start.
 */
@FreshDatabase
@SuppressWarnings("try")
class QueueSharesTests {

	private static final String POOL = "gator.worker.";

	private final DatabaseHandle database;

	private final JobTable jobs;

	QueueSharesTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
	}

	@BeforeEach
	void forget() {
		Note.clear();
		Hold.clear();
	}

	@Test
	void weightsOfThreeToOneGiveThreeQuartersOfTheFirstThousand() {
		fill(1_500, "heavy", "light");
		List<String> first = start(1_000, POOL + "queues.light=1", POOL + "queues.heavy=3");
		assertThat(Collections.frequency(first, "heavy")).isBetween(730, 770);
		// Not only in the end, but all along: no burst of one queue, no famine of the
		// other.
		for (int from = 0; from < 1_000; from += 100) {
			assertThat(Collections.frequency(first.subList(from, from + 100), "heavy")).isBetween(60, 90);
		}
	}

	@Test
	void theFirstQueueGoesFirstWhenTheOrderIsStrict() {
		fill(400, "b", "a", "c");
		List<String> first = start(1_200, POOL + "queue-order=strict", POOL + "concurrency=1",
				"spring.application.json={\"gator\":{\"worker\":{\"queues\":{\"b\":1,\"c\":1,\"a\":1}}}}");
		assertThat(first.subList(0, 400)).containsOnly("b");
		assertThat(first.subList(400, 800)).containsOnly("c");
		assertThat(first.subList(800, 1_200)).containsOnly("a");
	}

	@Test
	void theStarServesAllThatIsNotNamedWithItsWeightEach() {
		fill(800, "critical", "x", "y");
		List<String> first = start(800, POOL + "queues.critical=6", POOL + "queues[*]=1");
		assertThat(Collections.frequency(first, "critical")).isBetween(580, 620);
		assertThat(Collections.frequency(first, "x")).isBetween(90, 110);
		assertThat(Collections.frequency(first, "y")).isBetween(90, 110);
	}

	@Test
	void equalWeightsGiveFairShares() {
		fill(600, "a", "b", "c");
		List<String> first = start(900, POOL + "queues.a=2", POOL + "queues.b=2", POOL + "queues.c=2");
		for (String queue : List.of("a", "b", "c")) {
			assertThat(Collections.frequency(first, queue)).isBetween(285, 315);
		}
	}

	@Test
	void noQueuesGivenMeansAllQueuesWithEqualShares() {
		fill(600, "a", "b", "c");
		List<String> first = start(900);
		for (String queue : List.of("a", "b", "c")) {
			assertThat(Collections.frequency(first, queue)).isBetween(285, 315);
		}
	}

	@Test
	void queuesThatAreNotNamedAreLeftAlone() {
		fill(20, "mine", "other");
		try (TestApplication application = application(POOL + "queues.mine=1")) {
			await().until(() -> Note.starts.size() >= 20);
			assertThat(Note.starts).containsOnly("mine").hasSize(20);
			assertThat(this.jobs.count("gator_job where queue = 'other' and attempts = 0")).isEqualTo(20);
		}
	}

	@Test
	void anEmptyHeavyQueueLeavesAllSlotsToTheLightOneAtOnce() throws Exception {
		this.jobs.register("heavy");
		this.jobs.insertMany("light", "Hold", 30);
		try (TestApplication application = application(POOL + "concurrency=10", POOL + "poll-interval=1h",
				POOL + "queues.heavy=9", POOL + "queues.light=1")) {
			// With the poll interval an hour long, the very first claim must bring ten.
			assertThat(Hold.running.await(10, TimeUnit.SECONDS)).isTrue();
			Hold.release.countDown();
			await().until(() -> Hold.done.size() == 30);
		}
	}

	@Test
	void aQueueThatFillsUpLaterGetsItsShareFromThenOn() {
		this.jobs.insertMany("light", "Note", 1_000);
		Note.pauseAt = 50;
		try (TestApplication application = application(POOL + "concurrency=1", POOL + "prefetch=0ms",
				POOL + "queues.heavy=3", POOL + "queues.light=1")) {
			await().until(() -> Note.starts.size() >= 50);
			this.jobs.insertMany("heavy", "Note", 1_000);
			Note.goOn.countDown();
			await().until(() -> Note.starts.size() >= 850);
		}
		List<String> both = new ArrayList<>(Note.starts).subList(50, 850);
		assertThat(Collections.frequency(both, "heavy")).isBetween(590, 610);
		assertThat(both.subList(0, 8)).contains("light", "heavy");
	}

	@Test
	void poolsOfOneProcessServeTheirOwnQueuesWithTheirOwnSlots() {
		fill(50, "reports", "mail");
		try (TestApplication application = application(POOL + "queues.mail=1", POOL + "concurrency=3",
				POOL + "pools.reports.concurrency=1", POOL + "pools.reports.queues.reports=1")) {
			this.jobs.awaitEmpty();
			assertThat(Note.threads).allMatch((thread) -> thread.startsWith("mail gator-default-")
					|| thread.startsWith("reports gator-reports-"));
			assertThat(this.jobs.count("gator_worker")).isEqualTo(2);
			assertThat(this.jobs.count("gator_worker where pool = 'reports' and slots = 1 and queues = '{reports}'"))
				.isEqualTo(1);
		}
		assertThat(this.jobs.count("gator_worker")).isZero();
	}

	private void fill(int count, String... queues) {
		for (String queue : queues) {
			this.jobs.insertMany(queue, "Note", count);
		}
	}

	private List<String> start(int first, String... properties) {
		try (TestApplication application = application(properties)) {
			await().until(() -> Note.starts.size() >= first);
		}
		return new ArrayList<>(Note.starts).subList(0, first);
	}

	private TestApplication application(String... properties) {
		return TestApplication.start(this.database, List.of(Note.class, Hold.class), properties);
	}

	@Job
	static class Note {

		static final Queue<String> starts = new ConcurrentLinkedQueue<>();

		static final Queue<String> threads = new ConcurrentLinkedQueue<>();

		static volatile int pauseAt;

		static CountDownLatch goOn = new CountDownLatch(1);

		static void clear() {
			starts.clear();
			threads.clear();
			pauseAt = 0;
			goOn = new CountDownLatch(1);
		}

		void handle(int number, JobContext context) throws InterruptedException {
			starts.add(context.queue());
			if (pauseAt > 0 && starts.size() == pauseAt) {
				goOn.await();
			}
			threads.add(context.queue() + " " + Thread.currentThread().getName());
		}

	}

	@Job
	static class Hold {

		static CountDownLatch running = new CountDownLatch(10);

		static CountDownLatch release = new CountDownLatch(1);

		static final Queue<Integer> done = new ConcurrentLinkedQueue<>();

		static void clear() {
			running = new CountDownLatch(10);
			release = new CountDownLatch(1);
			done.clear();
		}

		void handle(int number) throws InterruptedException {
			running.countDown();
			release.await();
			done.add(number);
		}

	}

}
