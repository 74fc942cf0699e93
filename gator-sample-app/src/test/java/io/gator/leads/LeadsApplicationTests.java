package io.gator.leads;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application as a process of its own, as somebody who tries it starts it.
 */
class LeadsApplicationTests {

	@TempDir
	private Path directory;

	@Test
	void itEndsWithCodeZeroAfterTheTable() throws Exception {
		Run run = run("--server.port=0", "--leads.import-file=classpath:malformed.csv", "--leads.exit-when-done");
		assertThat(run.output()).contains("malformed.csv, line 4: the quotes do not match")
			.contains("malformed.csv: 3 leads imported, 11 lines malformed, through after")
			.contains("median wait")
			.contains("No address to look at.");
		assertThat(run.output()).doesNotContain("/actuator/");
		assertThat(run.exitCode()).isZero();
	}

	/**
	 * The build has processed the application ahead of time; see its pom.
	 */
	@Test
	void processedAheadOfTimeItRunsAsWell() throws Exception {
		Run run = run(List.of("-Dspring.aot.enabled=true"), "--server.port=0",
				"--leads.import-file=classpath:malformed.csv", "--leads.exit-when-done");
		assertThat(run.output()).contains("Starting AOT-processed LeadsApplication")
			.contains("malformed.csv: 3 leads imported, 11 lines malformed, through after")
			.containsPattern("critical +SendWelcomeEmail +2 +0 +0 ")
			.containsPattern("marketing +SyncActivities +\\d+ +0 +0 ")
			.contains("Pool default has stopped");
		assertThat(run.exitCode()).isZero();
	}

	@Test
	void aTakenPortIsNamedAndTheExitCodeSaysSo() throws Exception {
		try (ServerSocket taken = new ServerSocket(0)) {
			Run run = run("--server.port=" + taken.getLocalPort(), "--leads.exit-when-done");
			assertThat(run.output()).contains("Port " + taken.getLocalPort() + " was already in use");
			assertThat(run.exitCode()).isEqualTo(1);
		}
	}

	@Test
	void aDatabaseThatDoesNotAnswerEndsTheStart() throws Exception {
		Run run = run("--server.port=0", "--spring.datasource.url=jdbc:postgresql://localhost:1/leads",
				"--spring.datasource.hikari.connection-timeout=1000");
		assertThat(run.output()).contains("localhost:1 refused").doesNotContain("Embedded PostgreSQL");
		assertThat(run.exitCode()).isEqualTo(1);
	}

	/**
	 * As an image is built, with a cache of classes in it.
	 */
	@Test
	void aTrainingRunNeedsNoDatabase() throws Exception {
		Run run = run(List.of("-Dspring.context.exit=onRefresh"), "--server.port=0",
				"--spring.datasource.url=jdbc:postgresql://localhost:1/leads", "--spring.flyway.enabled=false",
				"--gator.migrate=false");
		assertThat(run.output()).contains("Starting LeadsApplication")
			.doesNotContain("localhost:1 refused", "Started LeadsApplication");
		assertThat(run.exitCode()).isZero();
	}

	private Run run(String... args) throws IOException, InterruptedException {
		return run(List.of(), args);
	}

	private Run run(List<String> options, String... args) throws IOException, InterruptedException {
		Path output = this.directory.resolve("output");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m"));
		command.addAll(options);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), LeadsApplication.class.getName()));
		command.addAll(List.of(args));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		try {
			boolean ended = process.waitFor(4, TimeUnit.MINUTES);
			String text = Files.readString(output, StandardCharsets.UTF_8);
			assertThat(ended).as(text).isTrue();
			return new Run(process.exitValue(), text);
		}
		finally {
			process.destroy();
		}
	}

	record Run(int exitCode, String output) {

	}

}
