package io.gator.fault;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;

/**
 * Dispatches in a process what its version knows, over and over as long as a file is
 * there, and writes down what was committed.
 */
final class Dispatching implements ApplicationRunner, DisposableBean {

	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

	private final Journal journal;

	private final Map<String, LongSupplier> jobs;

	private final Path file = Path.of(System.getProperty("gator.fault.dispatching"));

	private final Thread thread = new Thread(this::loop, "dispatching");

	private volatile boolean stopping;

	/**
	 * Create one.
	 * @param journal where to write
	 * @param jobs names, and what dispatches a job of that name and returns its id
	 */
	Dispatching(Journal journal, Map<String, LongSupplier> jobs) {
		this.journal = journal;
		this.jobs = jobs;
	}

	@Override
	public void run(ApplicationArguments arguments) {
		this.thread.start();
	}

	private void loop() {
		while (!this.stopping && Files.exists(this.file)) {
			this.jobs.forEach((name, job) -> this.journal.write("acked", job.getAsLong(), name));
			LockSupport.parkNanos(PAUSE);
		}
	}

	// Before what it needs is closed: none is to be lost on the way to the journal.
	@Override
	public void destroy() throws InterruptedException {
		this.stopping = true;
		this.thread.join();
	}

}
