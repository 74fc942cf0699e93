package io.gator.benchmarks;

import java.lang.management.ManagementFactory;

/**
 * The time that this JVM spent on processors, which says more than a rate where others
 * use the machine as well.
 */
final class Processor {

	private Processor() {
	}

	static long nanos() {
		return (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean bean)
				? bean.getProcessCpuTime() : 0;
	}

}
