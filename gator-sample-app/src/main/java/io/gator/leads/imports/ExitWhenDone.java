package io.gator.leads.imports;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Ends the application after its first report: {@code --leads.exit-when-done}.
 */
@Component
@ConditionalOnProperty("leads.exit-when-done")
class ExitWhenDone {

	private final ApplicationContext context;

	ExitWhenDone(ApplicationContext context) {
		this.context = context;
	}

	/**
	 * Ends on a thread of its own: the one that publishes the event is waited for.
	 */
	@EventListener(ImportThroughEvent.class)
	void exit() {
		new Thread(() -> System.exit(SpringApplication.exit(this.context)), "exit").start();
	}

}
