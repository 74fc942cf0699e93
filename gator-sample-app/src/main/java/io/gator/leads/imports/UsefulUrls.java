package io.gator.leads.imports;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Where the jobs can be looked at while this application is up.
 */
@Component
class UsefulUrls {

	private final Environment environment;

	UsefulUrls(Environment environment) {
		this.environment = environment;
	}

	/**
	 * What there is to see, by address.
	 * @return nothing if the application ends before anybody could look
	 */
	Map<String, String> all() {
		Map<String, String> all = new LinkedHashMap<>();
		String port = this.environment.getProperty("local.management.port");
		if (port != null && !ExitWhenDone.isAsked(this.environment)) {
			String actuator = "http://localhost:" + port + "/actuator/";
			all.put(actuator + "gator", "queues, workers, dead jobs");
			all.put(actuator + "gator/{id}", "one job, and why it is not running");
			all.put(actuator + "health", "whether all is well");
			all.put(actuator + "metrics/gator.jobs.executed", "one meter");
			all.put(actuator + "prometheus", "all meters");
		}
		return all;
	}

}
