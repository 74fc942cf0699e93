package io.gator.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One process that works, or dispatches, and what was done to it.
 */
final class WorkerProcess {

	private final int number;

	private final Process process;

	private final Path journal;

	private final Path log;

	private final List<Span> isolated = new ArrayList<>();

	private final List<Span> freezes = new ArrayList<>();

	private volatile long killedAt;

	private long frozenAt;

	private WorkerProcess(int number, Process process, Path journal, Path log) {
		this.number = number;
		this.process = process;
		this.journal = journal;
		this.log = log;
		process.onExit().thenRun(this::ended);
	}

	private synchronized void ended() {
		if (this.killedAt == 0) {
			this.killedAt = journal("HALT").mapToLong(Journal.Entry::nanos).findFirst().orElseGet(System::nanoTime);
		}
	}

	/**
	 * Start a process.
	 * @param number its number
	 * @param directory where its journal and log are kept
	 * @param classPath its class path
	 * @param properties properties as {@code name=value}, of which the last one counts
	 * @return the process, which is not up yet
	 */
	static WorkerProcess start(int number, Path directory, String classPath, List<String> properties) {
		Path journal = directory.resolve("worker-" + number + ".journal");
		Path log = directory.resolve("worker-" + number + ".log");
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
				"-Dgator.fault.journal=" + journal));
		properties.forEach((property) -> command.add("-D" + property));
		command.addAll(List.of("-cp", classPath, FaultWorker.class.getName()));
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			return new WorkerProcess(number, process, journal, log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start some processes on a database.
	 * @param count how many
	 * @param directory where their journals and logs are kept
	 * @param database the database
	 * @param properties more properties, as {@code name=value}
	 * @return the processes, which are not up yet
	 */
	static List<WorkerProcess> startAll(int count, Path directory, DatabaseHandle database, String... properties) {
		List<String> all = new ArrayList<>(Arrays.asList(database.springProperties()));
		all.addAll(Arrays.asList(properties));
		return IntStream.rangeClosed(1, count)
			.mapToObj((number) -> start(number, directory, classPath(), all))
			.toList();
	}

	/**
	 * Wait until processes are up.
	 * @param processes the processes
	 */
	static void awaitAllReady(List<WorkerProcess> processes) {
		for (WorkerProcess process : processes) {
			process.awaitReady();
			assertThat(process.isAlive()).as(process::log).isTrue();
		}
	}

	static String classPath() {
		// Surefire hides the class path in the manifest of an archive.
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	int number() {
		return this.number;
	}

	long pid() {
		return this.process.pid();
	}

	List<Journal.Entry> journal() {
		return Journal.read(this.journal);
	}

	String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Stream<Journal.Entry> journal(String what) {
		return journal().stream().filter((entry) -> entry.what().equals(what));
	}

	/** Wait until it is up, or has ended. */
	void awaitReady() {
		await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(50)).until(this::isReady);
	}

	boolean isReady() {
		return !this.process.isAlive() || journal("READY").findAny().isPresent();
	}

	/**
	 * Whether it runs a job at the moment.
	 * @return whether there is a start without an end in its journal
	 */
	boolean isBusy() {
		int running = 0;
		for (Journal.Entry entry : Journal.read(this.journal)) {
			running += switch (entry.what()) {
				case "START" -> 1;
				case "END" -> -1;
				default -> 0;
			};
		}
		return running > 0;
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	int exitValue() {
		return this.process.exitValue();
	}

	/** kill -9. */
	void kill() {
		// Not when it is seen to be gone: others may have taken its jobs by then.
		this.killedAt = System.nanoTime();
		this.process.destroyForcibly();
		awaitEnd(10);
	}

	/** kill -TERM. */
	void terminate() {
		this.process.destroy();
	}

	boolean awaitEnd(long seconds) {
		try {
			return this.process.waitFor(seconds, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	void freeze() {
		signal("-STOP");
		this.frozenAt = System.nanoTime();
	}

	void thaw() {
		Span span = new Span(this.frozenAt, System.nanoTime());
		signal("-CONT");
		this.freezes.add(span);
		this.isolated.add(span);
	}

	/**
	 * Note that it could not reach the database for a time.
	 * @param from the beginning
	 * @param to the end
	 */
	void isolate(long from, long to) {
		this.isolated.add(new Span(from, to));
	}

	private void signal(String signal) {
		try {
			Process kill = new ProcessBuilder("kill", signal, Long.toString(this.process.pid())).start();
			if (kill.waitFor() != 0) {
				throw new IllegalStateException("kill " + signal + " failed");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * When it was killed, or when its freeze began.
	 * @return monotonic times
	 */
	long killedAt() {
		return this.killedAt;
	}

	List<Span> freezes() {
		return this.freezes;
	}

	List<Span> isolated() {
		return this.isolated;
	}

	/**
	 * When it was frozen, or the machine let it do nothing.
	 * @return the times, as it has noted them itself
	 */
	List<Span> stalls() {
		return journal("STALL").map((entry) -> new Span(entry.number(0), entry.nanos())).toList();
	}

	/**
	 * A time.
	 *
	 * @param from its beginning
	 * @param to its end
	 */
	record Span(long from, long to) {

		long nanos() {
			return this.to - this.from;
		}

	}

}
