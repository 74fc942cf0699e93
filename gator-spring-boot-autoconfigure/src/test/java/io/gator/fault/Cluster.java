package io.gator.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.gator.store.Migration;
import io.gator.test.DatabaseHandle;
import io.gator.test.StoppableServer;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * Some worker processes on one database, a producer that keeps them busy, and the faults
 * that can be done to them.
 */
final class Cluster implements AutoCloseable {

	private final StoppableServer server;

	private final DatabaseHandle database;

	private final Settings settings;

	private final Path directory;

	private final Producer producer;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final Random random;

	private int kills;

	private int freezes;

	private int terminations;

	private int cuts;

	private int restarts;

	private final List<Long> returns = new ArrayList<>();

	Cluster(StoppableServer server, Settings settings) {
		this.server = server;
		this.settings = settings;
		this.random = new Random(settings.seed());
		this.database = server.createDatabase();
		new Migration(this.database.createDataSource(), "public", true).afterPropertiesSet();
		observe();
		try {
			this.directory = Files.createTempDirectory("gator-fault-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.producer = new Producer(this.database.createDataSource(), this.directory.resolve("producer.journal"),
				settings.seed(), settings.load());
	}

	/**
	 * The truth about transitions and effects, kept by triggers and a table without a
	 * key.
	 */
	private void observe() {
		try (Connection connection = this.database.createDataSource().getConnection();
				var statement = connection.createStatement()) {
			statement.execute("""
					create table fault_effect (job bigint, lease bigint);
					create table fault_transition (seq bigserial, at timestamptz default clock_timestamp(), what text,
					    job bigint, old_lease bigint, lease bigint, old_attempts int, attempts int,
					    old_worker bigint, worker bigint, due timestamptz);
					create function fault_note() returns trigger language plpgsql as $$
					begin
					    if tg_table_name = 'gator_job' then
					        if tg_op = 'INSERT' then
					            insert into fault_transition (what, job, lease, attempts, due)
					            values ('insert', new.id, new.lease, new.attempts, new.next_execution_at);
					        elsif tg_op = 'UPDATE' then
					            insert into fault_transition
					                (what, job, old_lease, lease, old_attempts, attempts, old_worker, worker)
					            values ('update', new.id, old.lease, new.lease, old.attempts, new.attempts,
					                old.reserved_by, new.reserved_by);
					        else
					            insert into fault_transition (what, job, old_lease, lease, attempts, old_worker)
					            values ('delete', old.id, old.lease, old.lease, old.attempts, old.reserved_by);
					        end if;
					    elsif tg_table_name = 'gator_dead_job' then
					        insert into fault_transition (what, job, lease, attempts)
					        values ('DEAD', new.id, new.lease, new.attempts);
					    else
					        insert into fault_transition (what, job, lease, attempts)
					        values (new.state, new.id, new.lease, new.attempts);
					    end if;
					    return null;
					end $$;
					create trigger fault_note after insert or update or delete on gator_job
					    for each row execute function fault_note();
					create trigger fault_note after insert on gator_dead_job
					    for each row execute function fault_note();
					create trigger fault_note after insert on gator_job_history
					    for each row execute function fault_note();
					""");
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	DatabaseHandle database() {
		return this.database;
	}

	Settings settings() {
		return this.settings;
	}

	Producer producer() {
		return this.producer;
	}

	List<WorkerProcess> workers() {
		return this.workers;
	}

	List<WorkerProcess> alive() {
		return this.workers.stream().filter(WorkerProcess::isAlive).toList();
	}

	List<WorkerProcess> ready() {
		return alive().stream().filter(WorkerProcess::isReady).toList();
	}

	WorkerProcess startWorker(String... properties) {
		return startWorker(this.database.port(), properties);
	}

	WorkerProcess startWorker(int port, String... properties) {
		return start(port, WorkerProcess.classPath(), properties);
	}

	private WorkerProcess start(int port, String classPath, String... more) {
		String url = "jdbc:postgresql://localhost:" + port + "/" + this.database.name()
				+ "?sslmode=disable&gssEncMode=disable";
		List<String> properties = new ArrayList<>(
				List.of("spring.datasource.url=" + url, "spring.datasource.username=" + this.database.username(),
						"spring.datasource.password=" + this.database.password(), "gator.migrate=false",
						"gator.worker.concurrency=" + this.settings.concurrency(),
						"gator.worker.lease=" + this.settings.lease().toMillis() + "ms",
						"gator.worker.heartbeat=" + this.settings.heartbeat().toMillis() + "ms",
						"gator.worker.shutdown-timeout=" + this.settings.shutdown().toMillis() + "ms"));
		properties.addAll(Arrays.asList(more));
		WorkerProcess worker = WorkerProcess.start(this.workers.size() + 1, this.directory, classPath, properties);
		this.workers.add(worker);
		return worker;
	}

	/**
	 * Start a process that runs nothing and only dispatches.
	 * @param halt the step at which it is to end
	 * @return the process
	 */
	WorkerProcess startProducer(String halt) {
		int numbers = (this.workers.size() + 1) * 1_000_000;
		return startWorker("gator.worker.enabled=false", "gator.fault.produce=" + numbers, "gator.fault.halt=" + halt);
	}

	/**
	 * Start a process that migrates, works, and dispatches what it knows.
	 * @param version the version of its application
	 * @param dispatching the file that is there as long as it is to dispatch
	 * @return the process
	 */
	WorkerProcess startVersion(Version version, Path dispatching) {
		return start(this.database.port(), version.classPath(), "gator.migrate=true",
				"gator.fault.application=io.gator.fault.Shop", "gator.fault.dispatching=" + dispatching);
	}

	/**
	 * Under which identity a process reserves jobs.
	 * @param worker a process that is up, or all but
	 * @return the identity
	 */
	long identity(WorkerProcess worker) {
		return await().until(() -> this.database.jdbc()
			.sql("select max(id) from gator_worker where pid = ?")
			.param(worker.pid())
			.query(Long.class)
			.single(), Objects::nonNull);
	}

	Cluster startWorkers(int count) {
		for (int i = 0; i < count; i++) {
			startWorker();
		}
		awaitReady();
		return this;
	}

	void awaitReady() {
		alive().forEach(WorkerProcess::awaitReady);
	}

	WorkerProcess any() {
		List<WorkerProcess> alive = alive();
		return alive.get(this.random.nextInt(alive.size()));
	}

	Random random() {
		return this.random;
	}

	/** Let the load go on for a while. */
	void work(Duration time) {
		LockSupport.parkNanos(time.toNanos());
	}

	void workBetween(long leastMillis, long mostMillis) {
		work(Duration.ofMillis(leastMillis + this.random.nextLong(mostMillis - leastMillis + 1)));
	}

	/**
	 * Send SIGTERM and wait for the end.
	 * @param worker to which process
	 */
	void terminate(WorkerProcess worker) {
		worker.terminate();
		this.terminations++;
		if (!worker.awaitEnd(this.settings.shutdown().toSeconds() + 20)) {
			throw new IllegalStateException("Worker " + worker.number() + " does not end:\n" + worker.log());
		}
	}

	/** Start another worker for each one that has ended. */
	void replaceEnded(int count) {
		while (alive().size() < count) {
			startWorker();
		}
	}

	void kill(WorkerProcess worker) {
		worker.kill();
		this.kills++;
	}

	void freeze(WorkerProcess worker, Duration time) {
		// One that does nothing shows nothing, and its last job may end meanwhile.
		for (worker.freeze(); !worker.isBusy(); worker.freeze()) {
			worker.thaw();
			await().until(worker::isBusy);
		}
		this.freezes++;
		work(time);
		worker.thaw();
	}

	void terminateSessions() {
		this.server.administer("select pg_terminate_backend(pid) from pg_stat_activity where datname = '"
				+ this.database.name() + "' and pid <> pg_backend_pid()");
		this.cuts++;
	}

	void cut() {
		this.cuts++;
	}

	/**
	 * Stop the server, wait, and start it again.
	 * @param mode how to stop it
	 * @param away how long it is away
	 */
	void restart(String mode, Duration away) {
		long from = System.nanoTime();
		this.server.stop(mode);
		work(away);
		this.server.startAgain();
		long to = System.nanoTime();
		this.returns.add(to);
		this.restarts++;
		// Until a pool has its next chance to beat it is cut off.
		alive().forEach((worker) -> worker.isolate(from, to + TimeUnit.SECONDS.toNanos(5)));
	}

	void returned() {
		this.returns.add(System.nanoTime());
	}

	/**
	 * Stop dispatching and wait until nothing is left.
	 * @param patience how long to wait while nothing gets done
	 * @return this
	 */
	Cluster drain(Duration patience) {
		this.producer.close();
		int least = Integer.MAX_VALUE;
		long end = System.nanoTime() + patience.toNanos();
		while (System.nanoTime() < end) {
			int left = this.database.jdbc().sql("select count(*) from gator_job").query(Integer.class).single();
			if (left == 0) {
				break;
			}
			if (left < least) {
				least = left;
				end = System.nanoTime() + patience.toNanos();
			}
			work(Duration.ofMillis(50));
		}
		return this;
	}

	Report check() {
		return new Checker(this).check();
	}

	int kills() {
		return this.kills;
	}

	long halts() {
		return this.workers.stream().filter((worker) -> !worker.isAlive() && worker.exitValue() == Halt.STATUS).count();
	}

	int terminations() {
		return this.terminations;
	}

	int freezes() {
		return this.freezes;
	}

	int cuts() {
		return this.cuts;
	}

	int restarts() {
		return this.restarts;
	}

	/** When the database came back, each time. */
	List<Long> returns() {
		return this.returns;
	}

	@Override
	public void close() {
		this.producer.close();
		if (Boolean.getBoolean("gator.fault.keep")) {
			System.out.println("FAULTS journals and logs are in " + this.directory);
		}
		for (WorkerProcess worker : this.workers) {
			if (worker.isAlive()) {
				worker.kill();
			}
		}
		this.database.close();
		if (!Boolean.getBoolean("gator.fault.keep")) {
			FileSystemUtils.deleteRecursively(this.directory.toFile());
		}
	}

	/**
	 * How a cluster is set up.
	 *
	 * @param seed the seed of all that is random
	 * @param lease the lease
	 * @param heartbeat the heartbeat
	 * @param shutdown how long running jobs are waited for
	 * @param concurrency the slots of each worker
	 * @param load what to dispatch
	 */
	record Settings(long seed, Duration lease, Duration heartbeat, Duration shutdown, int concurrency,
			Producer.Load load) {

		static Settings quick(long seed) {
			return new Settings(seed, Duration.ofSeconds(2), Duration.ofMillis(300), Duration.ofSeconds(3), 6,
					new Producer.Load(40, 20, 300));
		}

		static Settings defaults(long seed) {
			return new Settings(seed, Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofSeconds(25), 10,
					new Producer.Load(60, 20, 300));
		}

		Settings withLoad(int perSecond, int leastMillis, int moreMillis) {
			return new Settings(this.seed, this.lease, this.heartbeat, this.shutdown, this.concurrency,
					new Producer.Load(perSecond, leastMillis, moreMillis));
		}

		Settings withShutdown(Duration time) {
			return new Settings(this.seed, this.lease, this.heartbeat, time, this.concurrency, this.load);
		}

	}

}
