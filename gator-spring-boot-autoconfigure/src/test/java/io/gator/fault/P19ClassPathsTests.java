package io.gator.fault;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.gator.test.StoppableServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P19: two versions of an application whose classes have the same names, in processes
 * with different class paths. The next one knows a job more and one by another name, has
 * a field more in the argument of a third, does not know a fourth any more, and migrates
 * Gator's tables while the old one works on them.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class P19ClassPathsTests {

	/** How much of each kind is to be seen. */
	private static final int SOME = 20;

	@Test
	void twoVersionsShareTheWorkUnderLoadAndTheNextOneTakesOver(@TempDir Path directory) throws Exception {
		Version old = Version.compile("old", directory);
		Version next = Version.compile("next", directory).withMigration("next/V99__note.sql");
		Path dispatching = Files.createFile(directory.resolve("dispatching"));
		try (StoppableServer server = StoppableServer.start();
				Cluster cluster = new Cluster(server, Cluster.Settings.defaults(System.nanoTime()))) {
			WorkerProcess first = cluster.startVersion(old, dispatching);
			await("the old version works").atMost(Duration.ofSeconds(60))
				.until(() -> begun(first, "Fax", first) >= SOME);
			WorkerProcess second = cluster.startVersion(next, dispatching);
			cluster.awaitReady();
			long faxes = begun(first, "Fax", first);
			await("each does of the other's what it knows").atMost(Duration.ofSeconds(60))
				.until(() -> begun(first, "Ship", second) >= SOME && begun(second, "Ship", first) >= SOME
						&& begun(first, "SendMail", second) >= SOME && begun(second, "SendLetter", second) >= SOME
						&& begun(second, "Gift", second) >= SOME && begun(first, "Fax", first) >= faxes + SOME);
			long identity = cluster.identity(second);
			long oldIdentity = cluster.identity(first);

			cluster.terminate(first);
			long gifts = begun(second, "Gift", second);
			await("the next version goes on alone").atMost(Duration.ofSeconds(60))
				.until(() -> begun(second, "Gift", second) >= gifts + SOME);
			Files.delete(dispatching);
			await("the next version does what is left").atMost(Duration.ofSeconds(60))
				.until(() -> count(cluster, "name <> 'Fax'") == 0);
			await("faxes are due").until(() -> count(cluster, "next_execution_at > clock_timestamp()") == 0);
			// Leases were moved by the old version only, which gives back at its end.
			assertThat(count(cluster, """
					attempts = 0 and reserved_by is null
					and lease = (select count(*) from fault_transition t
					              where t.job = gator_job.id and %d in (t.worker, t.old_worker))
					""".formatted(oldIdentity))).isEqualTo(count(cluster, "name = 'Fax'")).isPositive();

			// Taken back: the old one does the rest, on the tables of the next one.
			cluster.startVersion(old, dispatching);
			Report report = cluster.drain(Duration.ofSeconds(30)).check();
			report.accept("two versions on two class paths");
			assertThat(report.duplicates).isZero();
			assertThat(claims(cluster, oldIdentity, ids(second, "SendLetter", "Gift"))).isZero();
			assertThat(claims(cluster, identity, ids(first, "Fax"))).isZero();
			assertThat(ask(cluster, "select count(*) from gator_dead_job")).isZero();
			assertThat(ask(cluster, "select count(*) from gator_schema_history where version = '99' and success"))
				.isOne();
		}
	}

	/** How many jobs of a name that one process dispatched another one has begun. */
	private static long begun(WorkerProcess dispatcher, String name, WorkerProcess runner) {
		Set<Long> ids = Set.copyOf(ids(dispatcher, name));
		return runner.journal("START").filter((entry) -> ids.contains(entry.number(0))).count();
	}

	private static List<Long> ids(WorkerProcess dispatcher, String... names) {
		Set<String> wanted = Set.of(names);
		return dispatcher.journal("acked")
			.filter((entry) -> wanted.contains(entry.text(1)))
			.map((entry) -> entry.number(0))
			.collect(Collectors.toList());
	}

	private static int claims(Cluster cluster, long identity, List<Long> ids) {
		assertThat(ids).isNotEmpty();
		return cluster.database()
			.jdbc()
			.sql("select count(*) from fault_transition where worker = ? and job = any(?)")
			.params(identity, ids.toArray(Long[]::new))
			.query(Integer.class)
			.single();
	}

	private static int count(Cluster cluster, String condition) {
		return ask(cluster, "select count(*) from gator_job where " + condition);
	}

	private static int ask(Cluster cluster, String sql) {
		return cluster.database().jdbc().sql(sql).query(Integer.class).single();
	}

}
