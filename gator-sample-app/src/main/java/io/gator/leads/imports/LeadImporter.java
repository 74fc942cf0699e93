package io.gator.leads.imports;

import java.io.IOException;
import java.io.Reader;
import java.util.List;

import io.gator.leads.lead.Leads;
import io.gator.leads.onboarding.Onboarding;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Takes in files of leads. The leads and their jobs are recorded in one transaction: if
 * it fails, nothing is left of either.
 */
@Service
class LeadImporter {

	private final LeadImports imports;

	private final Leads leads;

	private final Onboarding onboarding;

	private final ApplicationEventPublisher events;

	LeadImporter(LeadImports imports, Leads leads, Onboarding onboarding, ApplicationEventPublisher events) {
		this.imports = imports;
		this.leads = leads;
		this.onboarding = onboarding;
		this.events = events;
	}

	@Transactional
	public Outcome take(String source, Reader csv) throws IOException {
		LeadFile file = LeadFile.read(csv);
		long id = this.imports.add(source, file);
		this.onboarding.begin(this.leads.addAll(file.leads(), id));
		this.events.publishEvent(new ImportTakenEvent(id));
		return new Outcome(id, file.leads().size(), file.malformed());
	}

	/**
	 * What became of a file.
	 *
	 * @param id the id of the import
	 * @param imported how many leads were taken in
	 * @param malformed the lines that were not
	 */
	record Outcome(long id, int imported, List<MalformedLine> malformed) {

	}

}
