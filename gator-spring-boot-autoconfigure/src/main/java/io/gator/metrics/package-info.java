/**
 * Meters. What happens in this process is counted where it happens; what is in the tables
 * comes from {@link io.gator.insight.Insight}.
 * <p>
 * Invariants:
 * <ul>
 * <li>Tags come from bounded sets: jobs that this application has, the first queues that
 * are seen, pools. All others are {@value io.gator.metrics.BoundedNames#OTHER}.</li>
 * <li>Counting a job looks nothing up in the registry and builds no string.</li>
 * </ul>
 */
@NullMarked
package io.gator.metrics;

import org.jspecify.annotations.NullMarked;
