package io.gator.observation;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads what travelled with a job.
 */
final class Headers {

	private static final JsonMapper mapper = JsonMapper.shared();

	private Headers() {
	}

	/**
	 * Read the headers in the metadata of a row.
	 * @param metadata a JSON object, or {@code null}
	 * @return headers by name; empty if there are none or they cannot be read
	 */
	static Map<String, String> read(@Nullable String metadata) {
		if (metadata == null || !metadata.contains("\"headers\"")) {
			return Map.of();
		}
		try {
			Map<String, String> headers = new HashMap<>();
			mapper.readTree(metadata).path("headers").properties().forEach((each) -> {
				if (each.getValue().isString()) {
					headers.put(each.getKey(), each.getValue().asString());
				}
			});
			return headers;
		}
		catch (JacksonException ex) {
			// Somebody wrote it by hand. No reason to fail the job.
			return Map.of();
		}
	}

}
