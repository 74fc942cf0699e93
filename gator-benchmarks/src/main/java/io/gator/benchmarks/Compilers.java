package io.gator.benchmarks;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * The compilers of this JVM. For a second after the start of an application they take the
 * better part of a processor, and a drain that begins meanwhile measures them as well.
 */
final class Compilers {

	private static final long STEP = 100;

	private static final int QUIET_STEPS = 3;

	/** Of a step; what is compiled now and then while the rest sleeps. */
	private static final long QUIET_MILLIS = 5;

	private static final int MAX_STEPS = 100;

	private Compilers() {
	}

	/**
	 * Wait until nothing is compiled any more, for ten seconds at most.
	 */
	static void awaitIdle() throws InterruptedException {
		CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
		if (compilers == null || !compilers.isCompilationTimeMonitoringSupported()) {
			return;
		}
		long spent = compilers.getTotalCompilationTime();
		int quiet = 0;
		for (int step = 0; quiet < QUIET_STEPS && step < MAX_STEPS; step++) {
			Thread.sleep(STEP);
			long now = compilers.getTotalCompilationTime();
			quiet = (now - spent <= QUIET_MILLIS) ? quiet + 1 : 0;
			spent = now;
		}
	}

}
