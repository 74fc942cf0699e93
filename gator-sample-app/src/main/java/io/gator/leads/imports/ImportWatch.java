package io.gator.leads.imports;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Looks now and then whether an import is through, and then prints its report.
 */
@Component
class ImportWatch {

	private final LeadImports imports;

	private final ImportReport report;

	private final ApplicationEventPublisher events;

	ImportWatch(LeadImports imports, ImportReport report, ApplicationEventPublisher events) {
		this.imports = imports;
		this.report = report;
		this.events = events;
	}

	@Scheduled(fixedDelayString = "500ms")
	void look() {
		for (LeadImport through : this.imports.through()) {
			if (this.imports.finish(through.id())) {
				LeadImport done = this.imports.find(through.id()).orElse(through);
				System.out.println(this.report.of(done));
				this.events.publishEvent(new ImportThroughEvent(done));
			}
		}
	}

}
