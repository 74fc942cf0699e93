package io.gator.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets what a test awaits take its time: that a machine is busy is no reason for a red
 * test. Where time is the point, the test says how much there is. JUnit finds this by
 * itself.
 */
public final class Patience implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
	}

}
