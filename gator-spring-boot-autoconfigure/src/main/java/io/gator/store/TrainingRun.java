package io.gator.store;

import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.SpringProperties;

/**
 * A run that ends as soon as all beans are there, as the one in which the JVM learns what
 * to keep in its cache of classes. It is often a part of building an image, where there
 * is no database.
 */
final class TrainingRun {

	private TrainingRun() {
	}

	static boolean isOn() {
		return DefaultLifecycleProcessor.ON_REFRESH_VALUE
			.equalsIgnoreCase(SpringProperties.getProperty(DefaultLifecycleProcessor.EXIT_PROPERTY_NAME));
	}

}
