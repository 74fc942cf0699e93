package io.gator.benchmarks;

import java.util.Map;
import java.util.TreeMap;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * An ordinary application with the starter and the jobs of the benchmarks. Everything is
 * as by default, but for what {@code properties} say.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({ NoOp.class, Sleep.class, Stamp.class, Payload.class })
class GatorApplication {

	/**
	 * Start a worker.
	 * @param database where its jobs are
	 * @param concurrency the number of its slots
	 * @param more further properties, as {@code name=value}
	 */
	static ConfigurableApplicationContext worker(Database database, int concurrency, String... more) {
		Map<String, Object> properties = new TreeMap<>(database.springProperties());
		properties.put("gator.worker.concurrency", concurrency);
		return start(properties, more);
	}

	/**
	 * Start an application that only dispatches.
	 */
	static ConfigurableApplicationContext dispatcher(Database database, String... more) {
		Map<String, Object> properties = new TreeMap<>(database.springProperties());
		properties.put("gator.worker.enabled", false);
		return start(properties, more);
	}

	static ConfigurableApplicationContext start(Map<String, Object> properties, String... more) {
		Map<String, Object> all = new TreeMap<>(properties);
		all.put("spring.main.banner-mode", "off");
		all.put("spring.main.log-startup-info", false);
		for (String property : more) {
			int equals = property.indexOf('=');
			all.put(property.substring(0, equals), property.substring(equals + 1));
		}
		return new SpringApplicationBuilder(GatorApplication.class).web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.properties(all)
			.run();
	}

	static void requireUp(ConfigurableApplicationContext application) {
		if (!application.isRunning()) {
			throw new IllegalStateException("The application is not running");
		}
	}

}
