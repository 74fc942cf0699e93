package io.gator.leads.imports;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Ends the application after its first report: {@code --leads.exit-when-done}.
 */
@Component
class ExitWhenDone {

	private static final String PROPERTY = "leads.exit-when-done";

	private final ApplicationContext context;

	ExitWhenDone(ApplicationContext context) {
		this.context = context;
	}

	/**
	 * Read at run time; a condition would be fixed by AOT processing.
	 * @param environment the environment
	 * @return whether the application ends
	 */
	static boolean isAsked(Environment environment) {
		return !environment.getProperty(PROPERTY, "false").equalsIgnoreCase("false");
	}

	/**
	 * Ends on a thread of its own: the one that publishes the event is waited for.
	 */
	@EventListener(ImportThroughEvent.class)
	void exit() {
		if (isAsked(this.context.getEnvironment())) {
			new Thread(() -> System.exit(SpringApplication.exit(this.context)), "exit").start();
		}
	}

}
