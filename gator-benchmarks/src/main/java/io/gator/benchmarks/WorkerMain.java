package io.gator.benchmarks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * A worker in a JVM of its own, which is asked for what it knows line by line and ends
 * when nobody is left to ask.
 */
final class WorkerMain {

	static final String READY = "ready";

	static final String STAMPS = "stamps ";

	static final String HEAP = "heap";

	private WorkerMain() {
	}

	public static void main(String[] args) throws Exception {
		Database database = Database.at(args[0], args[1], args[2]);
		int concurrency = Integer.parseInt(args[3]);
		Progress.expect(Long.MAX_VALUE);
		try (ConfigurableApplicationContext application = GatorApplication.worker(database, concurrency);
				BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			GatorApplication.requireUp(application);
			System.out.println(READY);
			for (String line = in.readLine(); line != null; line = in.readLine()) {
				if (line.startsWith(STAMPS)) {
					System.out.println(stamps(Integer.parseInt(line.substring(STAMPS.length()))));
				}
				else if (line.equals(HEAP)) {
					Runtime runtime = Runtime.getRuntime();
					System.out.println((runtime.totalMemory() - runtime.freeMemory()) + " " + runtime.maxMemory());
				}
			}
		}
	}

	private static String stamps(int count) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < count; i++) {
			text.append(Stamp.nanos(i)).append(' ');
		}
		return text.toString();
	}

}
