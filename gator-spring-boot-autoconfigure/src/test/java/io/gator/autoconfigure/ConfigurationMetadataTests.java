package io.gator.autoconfigure;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class ConfigurationMetadataTests {

	private static final Pattern ROW = Pattern.compile("\\| `(gator\\.[a-z.-]+)` \\| (?:`(.*)`)? *\\| (.+) \\|");

	@Test
	void everyPropertyIsDescribed() throws Exception {
		for (JsonNode property : metadata().path("properties")) {
			assertThat(property.path("description").asString("")).as(property.path("name").asString()).isNotBlank();
		}
	}

	@Test
	void theDocumentationNamesEachPropertyWithItsDefault() throws Exception {
		Map<String, String> documented = new TreeMap<>();
		for (String line : Files.readAllLines(Path.of("..", "docs", "configuration.md"))) {
			Matcher row = ROW.matcher(line);
			if (row.matches()) {
				documented.put(row.group(1), (row.group(2) != null) ? row.group(2) : "");
			}
		}
		Map<String, String> actual = new TreeMap<>();
		for (JsonNode property : metadata().path("properties")) {
			String name = property.path("name").asString();
			if (name.startsWith("gator.")) {
				actual.put(name, property.path("defaultValue").asString(""));
			}
		}
		assertThat(documented).isEqualTo(actual);
	}

	@Test
	void theOrderOfQueuesAndTheWakeUpHaveHints() throws Exception {
		assertThat(metadata().path("hints").toString()).contains("gator.worker.queue-order", "gator.worker.wake-up");
	}

	private static JsonNode metadata() throws Exception {
		try (InputStream stream = Files
			.newInputStream(Path.of(GatorProperties.class.getProtectionDomain().getCodeSource().getLocation().toURI())
				.resolve("META-INF/spring-configuration-metadata.json"))) {
			return JsonMapper.shared().readTree(stream);
		}
	}

}
