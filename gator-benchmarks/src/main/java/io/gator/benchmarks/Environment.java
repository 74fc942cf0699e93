package io.gator.benchmarks;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

import com.github.kagkarlsson.scheduler.Scheduler;
import org.jobrunr.configuration.JobRunr;

import org.springframework.boot.SpringBootVersion;

/**
 * The machine, the versions and the settings of a run.
 */
final class Environment {

	private Environment() {
	}

	static Map<String, String> describe(Database database, Scale scale) throws Exception {
		Map<String, String> all = new LinkedHashMap<>();
		all.put("processors", Runtime.getRuntime().availableProcessors() + " × " + processor());
		all.put("memory", memory());
		all.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
				+ System.getProperty("os.arch"));
		all.put("load before the run",
				String.format("%.1f", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
		all.put("Java", System.getProperty("java.vm.name") + " " + Runtime.version() + ", heap "
				+ Runtime.getRuntime().maxMemory() / (1024 * 1024) + " MB; PostgreSQL and client on one " + "machine");
		all.put("PostgreSQL", database.text("show server_version"));
		StringBuilder settings = new StringBuilder();
		for (String name : Server.SETTINGS.keySet()) {
			settings.append(name).append('=').append(setting(database, name)).append(' ');
		}
		all.put("settings of PostgreSQL", settings.toString().strip());
		all.put("Spring Boot", String.valueOf(SpringBootVersion.getVersion()));
		all.put("pgjdbc", String.valueOf(org.postgresql.Driver.class.getPackage().getImplementationVersion()));
		all.put("db-scheduler", version(Scheduler.class));
		all.put("JobRunr", version(JobRunr.class));
		all.put("sizes", scale.name().toLowerCase(java.util.Locale.ROOT));
		return all;
	}

	private static String setting(Database database, String name) throws SQLException {
		return database.text("show " + name);
	}

	private static String version(Class<?> type) {
		String jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
			.getFileName()
			.toString();
		return jar.replaceAll("^[a-z-]+-|\\.jar$", "");
	}

	private static String processor() throws Exception {
		Path file = Path.of("/proc/cpuinfo");
		if (!Files.isReadable(file)) {
			return System.getProperty("os.arch");
		}
		return Files.readAllLines(file)
			.stream()
			.filter((line) -> line.startsWith("model name"))
			.map((line) -> line.substring(line.indexOf(':') + 1).strip())
			.findFirst()
			.orElse(System.getProperty("os.arch"));
	}

	private static String memory() {
		if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean bean) {
			return bean.getTotalMemorySize() / (1024 * 1024 * 1024) + " GB";
		}
		return "unknown";
	}

}
