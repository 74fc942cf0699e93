package io.gator.leads.imports;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

import io.gator.leads.imports.LeadImporter.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.core.io.ClassPathResource;
import org.springframework.stereotype.Component;

/**
 * Takes in the file that comes with this application.
 */
@Component
@ConditionalOnBooleanProperty(name = "leads.import-at-start", matchIfMissing = true)
class StartupImport implements ApplicationRunner {

	private static final Logger logger = LoggerFactory.getLogger(StartupImport.class);

	private static final ClassPathResource FILE = new ClassPathResource("leads.csv");

	private final LeadImporter importer;

	StartupImport(LeadImporter importer) {
		this.importer = importer;
	}

	@Override
	public void run(ApplicationArguments args) throws IOException {
		try (Reader csv = new InputStreamReader(FILE.getInputStream(), StandardCharsets.UTF_8)) {
			Outcome outcome = this.importer.take(FILE.getPath(), csv);
			outcome.malformed().forEach((line) -> logger.warn("{}, {}", FILE.getPath(), line));
			logger.info("{}: {} leads imported, {} lines malformed; a table follows when their jobs are through",
					FILE.getPath(), outcome.imported(), outcome.malformed().size());
		}
	}

}
