package io.gator.leads.imports;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

import io.gator.leads.LeadsProperties;
import io.gator.leads.imports.LeadImporter.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.core.io.Resource;
import org.springframework.stereotype.Component;

/**
 * Takes in a file at start, by default the one that comes with this application.
 */
@Component
@ConditionalOnBooleanProperty(name = "leads.import-at-start", matchIfMissing = true)
class StartupImport implements ApplicationRunner {

	private static final Logger logger = LoggerFactory.getLogger(StartupImport.class);

	private final Resource file;

	private final LeadImporter importer;

	StartupImport(LeadsProperties properties, LeadImporter importer) {
		this.file = properties.importFile();
		this.importer = importer;
	}

	@Override
	public void run(ApplicationArguments args) throws IOException {
		String name = String.valueOf(this.file.getFilename());
		try (Reader csv = new InputStreamReader(this.file.getInputStream(), StandardCharsets.UTF_8)) {
			Outcome outcome = this.importer.take(name, csv);
			outcome.malformed().forEach((line) -> logger.warn("{}, {}", name, line));
			logger.info("{}: {} leads imported, {} lines malformed; a table follows when their jobs are through", name,
					outcome.imported(), outcome.malformed().size());
		}
	}

}
