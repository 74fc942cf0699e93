package io.gator.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A worker in another JVM, from the same class path. It ends when this is closed, and
 * also when this JVM ends, because its standard input does.
 */
final class Child implements AutoCloseable {

	private final Process process;

	private final BufferedReader out;

	private final Writer in;

	private final Path errors;

	private Child(Process process, Path errors) {
		this.process = process;
		this.errors = errors;
		this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		this.in = process.outputWriter(StandardCharsets.UTF_8);
	}

	/**
	 * Start a worker and wait until its application is up.
	 */
	static Child start(Database database, int concurrency, String... jvm) throws IOException {
		Path errors = Files.createTempFile("gator-bench-worker", ".log");
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of(jvm));
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), WorkerMain.class.getName(),
				database.server(), database.user(), database.password(), Integer.toString(concurrency)));
		Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
		Child child = new Child(process, errors);
		try {
			child.await();
		}
		catch (IOException ex) {
			child.close();
			throw ex;
		}
		return child;
	}

	private void await() throws IOException {
		for (String line = this.out.readLine(); line != null; line = this.out.readLine()) {
			if (line.equals(WorkerMain.READY)) {
				return;
			}
		}
		throw new IOException("The worker did not start: " + Files.readString(this.errors));
	}

	String ask(String question) throws IOException {
		this.in.write(question + "\n");
		this.in.flush();
		String answer = this.out.readLine();
		if (answer == null) {
			throw new IOException("The worker ended: " + Files.readString(this.errors));
		}
		return answer;
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	@Override
	public void close() {
		try {
			this.in.close();
			if (!this.process.waitFor(30, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
			Files.deleteIfExists(this.errors);
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
		catch (IOException ex) {
			this.process.destroyForcibly();
			throw new UncheckedIOException(ex);
		}
	}

}
