package io.gator.autoconfigure;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class ConfigurationMetadataTests {

	private static final Pattern ROW = Pattern
		.compile("\\| `(gator\\.[a-z.-]+)` \\| (?:`([^|]*)`)? *\\| ([^|]+) \\| ([^|]+) \\|");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	@Test
	void everyPropertyIsDescribed() throws Exception {
		for (JsonNode property : metadata().path("properties")) {
			assertThat(property.path("description").asString("")).as(property.path("name").asString()).isNotBlank();
		}
	}

	@Test
	void theDocumentationNamesEachPropertyWithItsDefaultAndItsDescription() throws Exception {
		Map<String, String> documented = new TreeMap<>();
		documented().forEach((name, row) -> documented.put(name, row.defaultValue() + ": " + row.description()));
		Map<String, String> actual = new TreeMap<>();
		for (JsonNode property : metadata().path("properties")) {
			String name = property.path("name").asString();
			if (name.startsWith("gator.")) {
				actual.put(name,
						property.path("defaultValue").asString("") + ": " + property.path("description").asString(""));
			}
		}
		assertThat(documented).isEqualTo(actual);
	}

	@Test
	void theDocumentationNamesEachValueThatCanBeChosen() throws Exception {
		Map<String, Row> documented = documented();
		Map<String, String> choices = new TreeMap<>();
		for (JsonNode property : metadata().path("properties")) {
			String type = property.path("type").asString("");
			if (type.startsWith(GatorProperties.class.getName() + "$")) {
				String name = property.path("name").asString();
				for (Object value : Class.forName(type).getEnumConstants()) {
					choices.merge(name, value.toString().toLowerCase(Locale.ROOT), (one, next) -> one + "," + next);
				}
				assertThat(documented.get(name).values()).as(name).isEqualTo(choices.get(name));
			}
		}
		assertThat(choices).isNotEmpty();
	}

	@Test
	void theOrderOfQueuesAndTheWakeUpHaveHints() throws Exception {
		assertThat(metadata().path("hints").toString()).contains("gator.worker.queue-order", "gator.worker.wake-up");
	}

	private static Map<String, Row> documented() throws Exception {
		Map<String, Row> rows = new TreeMap<>();
		for (String line : Files.readAllLines(Path.of("..", "docs", "configuration.md"))) {
			Matcher row = ROW.matcher(line);
			if (row.matches()) {
				rows.put(row.group(1), new Row((row.group(2) != null) ? row.group(2) : "", row.group(3),
						row.group(4).replace("`", "")));
			}
		}
		return rows;
	}

	private static JsonNode metadata() throws Exception {
		try (InputStream stream = Files
			.newInputStream(Path.of(GatorProperties.class.getProtectionDomain().getCodeSource().getLocation().toURI())
				.resolve("META-INF/spring-configuration-metadata.json"))) {
			return JsonMapper.shared().readTree(stream);
		}
	}

	private record Row(String defaultValue, String allowed, String description) {

		/** What stands in code, without what is said about it. */
		String values() {
			return CODE.matcher(this.allowed).results().map((code) -> code.group(1)).collect(Collectors.joining(","));
		}

	}

}
