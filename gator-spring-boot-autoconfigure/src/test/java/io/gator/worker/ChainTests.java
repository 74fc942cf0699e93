package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobBatch;
import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@FreshDatabase
class ChainTests {

	private final DatabaseHandle database;

	ChainTests(DatabaseHandle database) {
		this.database = database;
	}

	@AfterEach
	void empty() {
		for (String table : List.of("gator_job", "gator_dead_job", "gator_job_history")) {
			this.database.jdbc().sql("delete from " + table).update();
		}
	}

	@Test
	void eachLinkGetsWhatItsPredecessorReturnedOrTheSameArguments() throws Exception {
		try (TestApplication application = start()) {
			application.bean(JobTemplate.class)
				.chain(Reserve.class)
				.then(Charge.class)
				.then(Ship.class)
				.onError(Refund.class)
				.dispatch(7L);
			assertThat(application.bean(Ship.class).shipped.poll(10, TimeUnit.SECONDS))
				.isEqualTo("charged reservation 7");
			await().until(() -> count("gator_job_history") == 3);
			assertThat(count("gator_job")).isZero();
			assertThat(application.bean(Refund.class).refunded).isEmpty();
		}
	}

	@Test
	void aLinkToTheQueueOfAnotherPoolOfTheProcessDoesNotWaitForAPoll() {
		try (TestApplication application = TestApplication.start(this.database, List.of(Reserve.class, Elsewhere.class),
				"gator.worker.poll-interval=1h", "gator.worker.queues.default=1",
				"gator.worker.pools.reports.queues.reports=1")) {
			application.bean(JobTemplate.class).chain(Reserve.class).then(Elsewhere.class).dispatch(1L);
			await().until(() -> count("gator_job_history") == 2);
		}
	}

	@Test
	void aLinkDoesNotWaitForAPoll() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Reserve.class, Charge.class, Ship.class, Refund.class), "gator.worker.poll-interval=1h")) {
			application.bean(JobTemplate.class).chain(Reserve.class).then(Charge.class).then(Ship.class).dispatch(1L);
			await().until(() -> this.database.jdbc()
				.sql("select count(*) from gator_job_history")
				.query(Integer.class)
				.single() == 3);
		}
	}

	@Test
	void aLinkAfterATransactionalJobDoesNotWaitForAPoll() throws Exception {
		try (TestApplication application = TestApplication.start(this.database, List.of(Book.class, Ship.class),
				"gator.worker.poll-interval=1h")) {
			application.bean(JobTemplate.class).chain(Book.class).then(Ship.class).dispatch(1L);
			assertThat(application.bean(Ship.class).shipped.poll(10, TimeUnit.SECONDS)).isEqualTo("booked 1");
		}
	}

	@Test
	void aDeadLinkEndsTheChainAndDispatchesTheErrorJobWithItsArguments() throws Exception {
		try (TestApplication application = start()) {
			application.bean(JobTemplate.class)
				.chain(Reserve.class)
				.then(Charge.class)
				.then(Ship.class)
				.onError(Refund.class)
				.dispatch(-1L);
			assertThat(application.bean(Refund.class).refunded.poll(10, TimeUnit.SECONDS)).isEqualTo("reservation -1");
			await().until(() -> count("gator_job") == 0);
			assertThat(application.bean(Ship.class).shipped).isEmpty();
		}
	}

	@Test
	void theErrorJobKeepsWhatTheCallerGaveTheChain() {
		try (TestApplication application = TestApplication.start(this.database, List.of(Charge.class, Ship.class),
				"gator.worker.poll-interval=50ms")) {
			application.bean(JdbcTemplate.class).update("""
					insert into gator_job (queue, name, args, metadata)
					values ('default', 'Charge', '["reservation -1"]',
					        '{"headers":{"tenant":"one"},"chain":[{"name":"Ship","queue":"default"}],
					          "onError":{"name":"Unknown","queue":"default"}}')
					""");
			await().until(() -> count("gator_job where name = 'Unknown'") == 1);
			assertThat(this.database.jdbc()
				.sql("select metadata::text from gator_job where name = 'Unknown'")
				.query(String.class)
				.single()).isEqualTo("{\"headers\":{\"tenant\":\"one\"}}");
		}
	}

	@Test
	void aChainThatNobodyCanReadIsOverWithItsJob() {
		try (TestApplication application = TestApplication.start(this.database, List.of(Reserve.class, Charge.class),
				"gator.worker.poll-interval=50ms")) {
			application.bean(JdbcTemplate.class).update("""
					insert into gator_job (queue, name, args, metadata)
					values ('default', 'Reserve', '[1]', '{"chain":[{"name":{},"queue":"default"}]}'),
					       ('default', 'Reserve', '[2]', '{"chain":[{"name":"Charge"}]}'),
					       ('default', 'Charge', '["reservation -1"]', '{"onError":{"name":{},"queue":"default"}}')
					""");
			await().until(() -> count("gator_job_history") == 2 && count("gator_dead_job") == 1);
			assertThat(count("gator_job")).isZero();
			assertThat(application.bean(Reserve.class).ended).containsExactlyInAnyOrder(1L, 2L);
			assertThat(application.bean(Charge.class).charged).containsExactly("reservation -1");
			assertThat(application.bean(JobAdmin.class).list(JobQuery.of(JobState.SUCCEEDED))).hasSize(2)
				.allSatisfy((job) -> assertThat(job.chain()).isEmpty());
		}
	}

	@Test
	void eachItemOfABufferedLinkGoesOnByItselfWithItsArguments() throws Exception {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Gather.class, Ship.class, Refund.class))) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			for (String parcel : List.of("first", "broken", "second")) {
				jobs.chain(Gather.class).then(Ship.class).onError(Refund.class).dispatch(parcel);
			}
			Ship ship = application.bean(Ship.class);
			assertThat(List.of(ship.shipped.poll(10, TimeUnit.SECONDS), ship.shipped.poll(10, TimeUnit.SECONDS)))
				.containsExactlyInAnyOrder("first", "second");
			assertThat(application.bean(Refund.class).refunded.poll(10, TimeUnit.SECONDS)).isEqualTo("broken");
			await().until(() -> count("gator_job") == 0);
			assertThat(ship.shipped).isEmpty();
		}
	}

	@Test
	void aBufferedLinkIsGatheredByTheKeyOfItsArguments() throws Exception {
		try (TestApplication application = TestApplication.start(this.database, List.of(Pack.class, Load.class))) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			for (int i = 0; i < 8; i++) {
				jobs.chain(Pack.class).then(Load.class).dispatch((i % 2 == 0) ? "north" : "south");
			}
			Load load = application.bean(Load.class);
			List<Parcel> loaded = new ArrayList<>();
			while (loaded.size() < 8) {
				List<Parcel> batch = load.batches.poll(10, TimeUnit.SECONDS);
				assertThat(batch).isNotEmpty().extracting(Parcel::truck).containsOnly(batch.get(0).truck());
				loaded.addAll(batch);
			}
			await().until(() -> count("gator_job") == 0);
		}
	}

	@Test
	void aLinkGetsWhatItTakesThoughTheProcessBeforeItDoesNotKnowIt() throws Exception {
		try (TestApplication older = TestApplication.start(this.database, List.of(Reserve.class, Charge.class));
				TestApplication newer = TestApplication.start(this.database,
						List.of(Reserve.class, Charge.class, Deliver.class, Apologize.class),
						"gator.worker.queues[parcels]=2", "gator.worker.poll-interval=50ms")) {
			JobTemplate jobs = newer.bean(JobTemplate.class);
			jobs.chain(Reserve.class).then(Charge.class).then(Deliver.class).onError(Apologize.class).dispatch(7L);
			assertThat(newer.bean(Deliver.class).delivered.poll(10, TimeUnit.SECONDS))
				.isEqualTo("charged reservation 7");
			jobs.chain(Reserve.class).then(Charge.class).then(Deliver.class).onError(Apologize.class).dispatch(-1L);
			assertThat(newer.bean(Apologize.class).apologies.poll(10, TimeUnit.SECONDS)).isTrue();
			await().until(() -> count("gator_job") == 0);
			assertThat(count("gator_dead_job where name = 'Charge'")).isEqualTo(1);
			assertThat(count("gator_dead_job")).isEqualTo(1);
			assertThat(older.bean(Charge.class).charged).containsExactly("reservation 7", "reservation -1");
			assertThat(newer.bean(Charge.class).charged).isEmpty();
		}
	}

	@Test
	void aBufferedLinkIsGatheredByItsKeyThoughTheProcessBeforeItDoesNotKnowIt() {
		try (TestApplication whole = TestApplication.start(this.database, List.of(Pack.class, Load.class),
				"gator.worker.enabled=false");
				TestApplication part = TestApplication.start(this.database, List.of(Pack.class))) {
			whole.bean(JobTemplate.class).chain(Pack.class).then(Load.class).dispatch("north");
			await().until(() -> part.context().isRunning() && count("gator_job where name = 'Load'") == 1);
			assertThat(this.database.jdbc().sql("select args::text, batch_key from gator_job").query().singleRow())
				.containsEntry("args", "[{\"truck\":\"north\"}]")
				.containsEntry("batch_key", "north");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Render.class, RenderAndBook.class })
	void aResultThatCannotBeSentFailsTheAttemptThatReturnedIt(Class<?> render) {
		try (TestApplication application = TestApplication.start(this.database, List.of(render, Ship.class),
				"gator.max-payload=1KB")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			long large = jobs.chain(render).then(Ship.class).dispatch("x");
			long half = jobs.chain(render).then(Ship.class).dispatch("half");
			await().until(() -> count("gator_dead_job") == 2);
			JobAdmin admin = application.bean(JobAdmin.class);
			assertThat(admin.find(large).orElseThrow().error().orElseThrow()).contains("'Ship'", "gator.max-payload");
			assertThat(admin.find(half).orElseThrow().error().orElseThrow()).contains("'Ship'", "surrogate");
			assertThat(count("gator_job")).isZero();
			assertThat(application.bean(Ship.class).shipped).isEmpty();
		}
	}

	@Test
	void theRestOfTheChainIsShownWithTheJob() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Reserve.class, Charge.class, Ship.class, Refund.class), "gator.worker.enabled=false")) {
			long id = application.bean(JobTemplate.class)
				.chain(Reserve.class)
				.then(Charge.class)
				.then(Ship.class)
				.dispatch(1L);
			assertThat(application.bean(JobAdmin.class).find(id).orElseThrow().chain()).containsExactly("Charge",
					"Ship");
			this.database.jdbc().sql("delete from gator_job").update();
		}
	}

	@Test
	void aLateWorkerThatSucceedsDoesNotDispatchTheNextLink() throws Exception {
		try (TestApplication application = TestApplication.start(this.database, List.of(Reserve.class, Charge.class),
				"gator.worker.concurrency=1")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			Reserve reserve = application.bean(Reserve.class);
			reserve.hold = true;
			long id = jobs.chain(Reserve.class).then(Charge.class).dispatch(3L);
			assertThat(reserve.holding.poll(10, TimeUnit.SECONDS)).isEqualTo(3L);
			// Somebody else has taken the job meanwhile.
			this.database.jdbc().sql("update gator_job set lease = lease + 1 where id = ?").param(id).update();
			reserve.hold = false;
			reserve.go.add(true);
			// The one slot begins the next chain when it is done with the late job.
			jobs.chain(Reserve.class).then(Charge.class).dispatch(4L);
			await().until(() -> count("gator_job_history") == 2);
			assertThat(application.bean(Charge.class).charged).containsExactly("reservation 4");
			assertThat(this.database.jdbc().sql("select id from gator_job").query(Long.class).list())
				.containsExactly(id);
		}
	}

	private TestApplication start() {
		return TestApplication.start(this.database, List.of(Reserve.class, Charge.class, Ship.class, Refund.class));
	}

	private int count(String table) {
		return this.database.jdbc().sql("select count(*) from " + table).query(Integer.class).single();
	}

	@Job
	static class Reserve {

		volatile boolean hold;

		final BlockingQueue<Long> holding = new LinkedBlockingQueue<>();

		final BlockingQueue<Boolean> go = new LinkedBlockingQueue<>();

		final BlockingQueue<Long> ended = new LinkedBlockingQueue<>();

		String handle(long order) throws InterruptedException {
			if (this.hold) {
				this.holding.add(order);
				this.go.take();
			}
			this.ended.add(order);
			return "reservation " + order;
		}

	}

	@Job(transactional = true)
	static class Book {

		String handle(long order) {
			return "booked " + order;
		}

	}

	@Job
	static class Render {

		String handle(String template) {
			return template.equals("half") ? "\ud83d" : template.repeat(2_000);
		}

	}

	@Job(transactional = true)
	static class RenderAndBook extends Render {

	}

	@Job
	static class Charge {

		final BlockingQueue<String> charged = new LinkedBlockingQueue<>();

		String handle(String reservation) {
			this.charged.add(reservation);
			if (reservation.endsWith("-1")) {
				throw new IllegalStateException("no money");
			}
			return "charged " + reservation;
		}

	}

	@Job
	@Buffered(size = 3, maxWait = "100ms")
	static class Gather {

		int handle(JobBatch<String> parcels) {
			parcels.items()
				.stream()
				.filter("broken"::equals)
				.forEach((parcel) -> parcels.fail(parcel, new IllegalStateException("broken")));
			return parcels.items().size();
		}

	}

	record Parcel(String truck) {

	}

	@Job
	static class Pack {

		Parcel handle(String truck) {
			return new Parcel(truck);
		}

	}

	@Job
	@Buffered(size = 4, maxWait = "200ms", key = "truck")
	static class Load {

		final BlockingQueue<List<Parcel>> batches = new LinkedBlockingQueue<>();

		void handle(List<Parcel> parcels) {
			this.batches.add(List.copyOf(parcels));
		}

	}

	@Job(queue = "reports")
	static class Elsewhere {

		void handle() {
		}

	}

	@Job
	static class Ship {

		final BlockingQueue<String> shipped = new LinkedBlockingQueue<>();

		void handle(String what) {
			this.shipped.add(what);
		}

	}

	@Job(queue = "parcels")
	static class Deliver {

		final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();

		void handle(String what) {
			this.delivered.add(what);
		}

	}

	@Job(queue = "parcels")
	static class Apologize {

		final BlockingQueue<Boolean> apologies = new LinkedBlockingQueue<>();

		void handle() {
			this.apologies.add(true);
		}

	}

	@Job
	static class Refund {

		final BlockingQueue<String> refunded = new LinkedBlockingQueue<>();

		void handle(String what) {
			this.refunded.add(what);
		}

	}

}
