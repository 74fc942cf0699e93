package io.gator.benchmarks;

/**
 * One figure of one round.
 *
 * @param name what was measured, as "gator" or "p99 other JVM"
 * @param unit the unit, as "jobs/s"
 * @param value the figure
 */
record Metric(String name, String unit, double value) {

}
