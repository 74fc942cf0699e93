package io.gator.leads.imports;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Looks now and then whether an import of this process is through, and then prints its
 * report.
 */
@Component
class ImportWatch {

	private final Set<Long> open = new ConcurrentSkipListSet<>();

	private final LeadImports imports;

	private final ImportReport report;

	private final ApplicationEventPublisher events;

	ImportWatch(LeadImports imports, ImportReport report, ApplicationEventPublisher events) {
		this.imports = imports;
		this.report = report;
		this.events = events;
	}

	@TransactionalEventListener
	void taken(ImportTakenEvent event) {
		this.open.add(event.id());
	}

	@Scheduled(fixedDelayString = "500ms")
	void look() {
		for (long id : this.open) {
			this.imports.finish(id).ifPresent((done) -> {
				this.open.remove(id);
				System.out.println(this.report.of(done));
				this.events.publishEvent(new ImportThroughEvent(done));
			});
		}
	}

}
