package io.gator.actuate;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.gator.Job;
import io.gator.JobPools;
import io.gator.JobTemplate;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the endpoint does.
 */
@FreshDatabase
class GatorEndpointActionsTests {

	private final DatabaseHandle database;

	GatorEndpointActionsTests(DatabaseHandle database) {
		this.database = database;
		JobTable.empty(database);
		// A pool that stood still when it stopped leaves its row.
		database.jdbc().sql("truncate gator_worker").update();
	}

	@Test
	void deadLettersAreListedInPagesRetriedAndDiscarded() {
		try (TestApplication application = start("gator.worker.enabled=false", "gator.endpoint.show-arguments=true")) {
			GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
			this.database.jdbc().sql("""
					insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, error_details)
					select 100000 + i, case when i % 2 = 0 then 'even' else 'odd' end, 'Broken', '["x"]', 1, 1, now(),
					       E'what\nwhere'
					  from generate_series(1, 10) i
					""").update();
			Map<String, Object> first = endpoint.look("dead", "even", "Broken", null, 3);
			assertThat(list(first, "jobs")).extracting((job) -> job.get("id"))
				.containsExactly(100002L, 100004L, 100006L);
			assertThat(list(first, "jobs"))
				.allSatisfy((job) -> assertThat(job).containsEntry("error", "what").doesNotContainKey("arguments"));
			Map<String, Object> second = endpoint.look("dead", "even", null, (Long) first.get("next"), 3);
			assertThat(list(second, "jobs")).extracting((job) -> job.get("id")).containsExactly(100008L, 100010L);
			assertThat(second.get("next")).isNull();
			assertThat(look(application, 100001)).containsEntry("arguments", "[\"x\"]")
				.containsEntry("error", "what\nwhere");
			assertThat(endpoint.act("100001", "discard", null, null, null, null)).containsEntry("found", true);
			assertThat(endpoint.act("100001", "discard", null, null, null, null)).containsEntry("found", false);
			assertThat(endpoint.act("dead", "retry", "even", null, null, null)).containsEntry("count", 5L);
			assertThat(endpoint.act("dead", "discard", null, "Broken", null, null)).containsEntry("count", 4L);
			assertThat(endpoint.steer("queues", "even", "pause", null)).containsEntry("action", "pause");
			assertThat(look(application, 100002).get("why").toString()).contains("has been paused since")
				.contains("No pool is running anywhere.");
			assertThat(endpoint.steer("queues", "even", "resume", null)).containsEntry("action", "resume");
			assertThat(look(application, 100002).get("why").toString()).doesNotContain("paused");
			assertThat(endpoint.act("100002", "cancel", null, null, null, null)).containsEntry("found", true);
			assertThat(look(application, 987654321)).isNull();
			for (Runnable refused : List.<Runnable>of(() -> endpoint.act("100002", "explode", null, null, null, null),
					() -> endpoint.act("waiting", "retry", null, null, null, null),
					() -> endpoint.act("waiting", "discard", "even", null, null, null),
					() -> endpoint.act("failed", "retry", null, null, true, null),
					() -> endpoint.look("nonsense", null, null, null, null),
					() -> endpoint.look("dead", null, null, null, 5000),
					() -> endpoint.look("dead", "\u0000", null, null, null),
					() -> endpoint.act("dead", "retry", null, "a\u0000b", null, null),
					() -> endpoint.steer("queues", "a b", "pause", null),
					() -> endpoint.steer("slots", "even", "pause", null))) {
				assertRefused(refused);
			}
		}
	}

	@Test
	void aJobIsRescheduledToATimeThatIsGiven() {
		try (TestApplication application = start("gator.worker.enabled=false")) {
			GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
			long id = application.bean(JobTemplate.class).dispatch(Broken.class, "x");
			OffsetDateTime time = OffsetDateTime.now(ZoneOffset.ofHours(2)).plusDays(2).truncatedTo(ChronoUnit.SECONDS);
			assertThat(endpoint.act("" + id, "reschedule", null, null, null, time)).containsEntry("found", true);
			assertThat(look(application, id)).containsEntry("state", "SCHEDULED")
				.containsEntry("dueAt", time.toInstant());
			assertThat(endpoint.act("987654321", "reschedule", null, null, null, time)).containsEntry("found", false);
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.act("" + id, "reschedule", null, null, null, null))
				.withMessageContaining("give the time");
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.act("" + id, "reschedule", null, null, null, time.plusYears(10)))
				.withMessageContaining("ten years");
			assertRefused(() -> endpoint.act("dead", "reschedule", null, null, true, time));
			assertThat(look(application, id)).containsEntry("dueAt", time.toInstant());
		}
	}

	@Test
	void aPoolIsResizedAndTheWholeClusterSeesIt() {
		try (TestApplication application = start()) {
			GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
			assertThat(endpoint.steer("pools", "default", "resize", 3)).containsEntry("concurrency", 3);
			await().until(() -> list(endpoint.overview(), "workers").stream()
				.allMatch((pool) -> pool.get("slots").equals(3)));
			for (Runnable refused : List.<Runnable>of(() -> endpoint.steer("pools", "default", "resize", null),
					() -> endpoint.steer("pools", "default", "resize", 0),
					() -> endpoint.steer("pools", "nobody's", "resize", 4),
					() -> endpoint.steer("pools", "default", "pause", 4))) {
				assertRefused(refused);
			}
			assertThat(application.bean(JobPools.class).concurrency()).containsEntry("default", 3);
		}
	}

	@Test
	void aProcessThatOnlyDispatchesHasNoPoolToResize() {
		try (TestApplication application = start("gator.worker.enabled=false")) {
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> application.bean(GatorEndpoint.class).steer("pools", "default", "resize", 3))
				.withMessageContaining("This process has no pool 'default'. Its pools: []");
		}
	}

	@Test
	void deadLettersAreListedAndDiscardedByTheirNameAndTheirQueue() {
		try (TestApplication application = start("gator.worker.enabled=false")) {
			GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
			this.database.jdbc().sql("""
					insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
					values (100001, 'a', 'One', '[]', 1, 1, now()), (100002, 'a', 'Other', '[]', 1, 1, now()),
					       (100003, 'b', 'One', '[]', 1, 1, now())
					""").update();
			assertThat(list(endpoint.look("dead", null, "One", null, null), "jobs")).extracting((job) -> job.get("id"))
				.containsExactly(100001L, 100003L);
			assertThat(list(endpoint.look("dead", "a", "One", null, null), "jobs")).extracting((job) -> job.get("id"))
				.containsExactly(100001L);
			assertThat(endpoint.act("dead", "discard", "a", "One", null, null)).containsEntry("count", 1L);
			assertThat(list(endpoint.look("dead", null, null, null, null), "jobs")).extracting((job) -> job.get("id"))
				.containsExactly(100002L, 100003L);
		}
	}

	@Test
	void nobodyMayWriteUnlessTheApplicationAllowsIt() {
		assertThat(GatorEndpoint.class.getAnnotation(Endpoint.class).defaultAccess()).isEqualTo(Access.READ_ONLY);
	}

	@Test
	void deadLettersAreNeitherRetriedNorDiscardedForAFilterThatIsMistyped() {
		try (TestApplication application = start("gator.worker.enabled=false")) {
			GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
			for (String action : List.of("retry", "discard")) {
				this.database.jdbc().sql("""
						insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
						select 100000 + i, 'mistyped', 'Broken', '["x"]', 1, 1, now() from generate_series(1, 3) i
						""").update();
				// An operation does not see what it has no parameter for.
				for (Boolean all : new Boolean[] { null, false }) {
					assertThatExceptionOfType(InvalidEndpointRequestException.class)
						.isThrownBy(() -> endpoint.act("dead", action, null, null, all, null))
						.satisfies((ex) -> assertThat(ex.getReason())
							.isEqualTo("To " + action + " dead jobs give a queue or a name, or \"all\": true"));
				}
				assertThat(list(endpoint.look("dead", "mistyped", null, null, null), "jobs")).hasSize(3);
				assertThat(endpoint.act("dead", action, null, null, true, null)).containsEntry("count", 3L);
			}
		}
	}

	private TestApplication start(String... properties) {
		List<String> all = new ArrayList<>(Arrays.asList(properties));
		all.add("management.endpoints.web.exposure.include=gator");
		return TestApplication.start(this.database, List.of(Broken.class, ObservabilityConfiguration.class),
				all.toArray(String[]::new));
	}

	private static void assertRefused(Runnable action) {
		assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(action::run);
	}

	private static Map<String, Object> look(TestApplication application, long id) {
		return application.bean(GatorEndpoint.class).look(Long.toString(id), null, null, null, null);
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> list(Map<String, Object> body, String key) {
		return (List<Map<String, Object>>) body.get(key);
	}

	@Job
	static class Broken {

		void handle(String argument) {
			throw new IllegalStateException("broken");
		}

	}

}
