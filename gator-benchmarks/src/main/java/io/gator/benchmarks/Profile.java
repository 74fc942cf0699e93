package io.gator.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where the time went: methods on the processors by thread, allocations, and what the
 * sessions of the server waited for.
 */
final class Profile {

	private static final int LINES = 25;

	private final Path file;

	private final Recording recording;

	private final Map<String, Integer> waits = new TreeMap<>();

	private final Thread sampler;

	private volatile boolean running = true;

	private Profile(Path file, Recording recording, Database database) {
		this.file = file;
		this.recording = recording;
		this.sampler = new Thread(() -> sample(database), "wait-sampler");
		this.sampler.setDaemon(true);
	}

	static Profile start(Path directory, String name, Database database) throws IOException, ParseException {
		Files.createDirectories(directory);
		Path file = directory.resolve(name.replaceAll("[^a-z0-9]+", "-") + ".jfr");
		Recording recording = new Recording(Configuration.getConfiguration("profile"));
		recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
		recording.enable("jdk.NativeMethodSample").withPeriod(Duration.ofMillis(10));
		recording.setDestination(file);
		recording.start();
		Profile profile = new Profile(file, recording, database);
		profile.sampler.start();
		return profile;
	}

	private void sample(Database database) {
		String sql = "select left(regexp_replace(query, '\\s+', ' ', 'g'), 60), state, coalesce(wait_event_type || ':'"
				+ " || wait_event, 'on the processor') as " + Database.PROBE
				+ " from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"
				+ " and state <> 'idle'";
		try (Connection connection = database.connect(); Statement statement = connection.createStatement()) {
			while (this.running) {
				try (ResultSet row = statement.executeQuery(sql)) {
					while (row.next()) {
						this.waits.merge(row.getString(3) + " | " + row.getString(2) + " | " + row.getString(1), 1,
								Integer::sum);
					}
				}
				Thread.sleep(5);
			}
		}
		catch (Exception ex) {
			System.err.println("The sampler of waits ended: " + ex);
		}
	}

	void stop() throws IOException, InterruptedException {
		this.running = false;
		this.sampler.join(1000);
		this.recording.stop();
		this.recording.close();
		Path text = Path.of(this.file.toString().replace(".jfr", ".txt"));
		Files.writeString(text, summary());
		System.out.println("  profile: " + text);
	}

	private String summary() throws IOException {
		Map<String, Integer> threads = new HashMap<>();
		Map<String, Integer> methods = new HashMap<>();
		Map<String, Integer> inclusive = new HashMap<>();
		Map<String, Integer> stacks = new HashMap<>();
		Map<String, Integer> allocations = new HashMap<>();
		Map<String, Integer> parks = new HashMap<>();
		try (RecordingFile events = new RecordingFile(this.file)) {
			while (events.hasMoreEvents()) {
				RecordedEvent event = events.readEvent();
				switch (event.getEventType().getName()) {
					case "jdk.ExecutionSample" -> sample(event, threads, methods, inclusive, stacks);
					case "jdk.ObjectAllocationSample" ->
						allocations.merge(event.getClass("objectClass").getName() + " at " + own(event),
								(int) (event.getLong("weight") / 1024), Integer::sum);
					case "jdk.ThreadPark", "jdk.JavaMonitorEnter" ->
						parks.merge(event.getEventType().getLabel() + " " + thread(event) + " at " + own(event),
								(int) event.getDuration().toMillis(), Integer::sum);
					default -> {
					}
				}
			}
		}
		StringBuilder text = new StringBuilder();
		table(text, "threads on the processor (samples)", threads);
		table(text, "methods, themselves (samples)", methods);
		table(text, "methods of Gator and the driver, with what they call (samples)", inclusive);
		table(text, "stacks, five frames (samples)", stacks);
		table(text, "allocations (kB)", allocations);
		table(text, "parked or blocked (ms)", parks);
		table(text, "sessions of the server (samples): wait | state | statement", this.waits);
		return text.toString();
	}

	private static void sample(RecordedEvent event, Map<String, Integer> threads, Map<String, Integer> methods,
			Map<String, Integer> inclusive, Map<String, Integer> stacks) {
		String thread = (event.getThread("sampledThread") != null)
				? String.valueOf(event.getThread("sampledThread").getJavaName()).replaceAll("[0-9]+", "#") : "?";
		threads.merge(thread, 1, Integer::sum);
		if (event.getStackTrace() == null) {
			return;
		}
		List<RecordedFrame> frames = event.getStackTrace().getFrames();
		methods.merge(name(frames.get(0)), 1, Integer::sum);
		stacks.merge(thread + ": " + String.join(" < ", frames.stream().limit(5).map(Profile::name).toList()), 1,
				Integer::sum);
		frames.stream()
			.map(Profile::name)
			.filter((name) -> name.startsWith("io.gator") || name.startsWith("org.postgresql"))
			.distinct()
			.forEach((name) -> inclusive.merge(name, 1, Integer::sum));
	}

	private static String thread(RecordedEvent event) {
		return (event.getThread() != null) ? String.valueOf(event.getThread().getJavaName()).replaceAll("[0-9]+", "#")
				: "?";
	}

	private static String own(RecordedEvent event) {
		if (event.getStackTrace() == null) {
			return "?";
		}
		return event.getStackTrace()
			.getFrames()
			.stream()
			.map(Profile::name)
			.filter((name) -> !name.startsWith("java.") && !name.startsWith("jdk."))
			.findFirst()
			.orElse("?");
	}

	private static String name(RecordedFrame frame) {
		return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
	}

	private static void table(StringBuilder text, String title, Map<String, Integer> counts) {
		long all = counts.values().stream().mapToLong(Integer::longValue).sum();
		text.append("\n== ").append(title).append(", ").append(all).append(" in all\n");
		List<Map.Entry<String, Integer>> entries = new ArrayList<>(counts.entrySet());
		entries.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
		for (Map.Entry<String, Integer> entry : entries.subList(0, Math.min(LINES, entries.size()))) {
			text.append(String.format(Locale.ROOT, "%6.1f %% %8d  %s%n", entry.getValue() * 100.0 / all,
					entry.getValue(), entry.getKey()));
		}
	}

}
