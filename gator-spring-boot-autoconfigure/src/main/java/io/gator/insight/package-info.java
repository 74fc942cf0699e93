/**
 * What is known about the whole cluster: how much is on each queue, how fast it comes and
 * goes, how the table is. Meters and the endpoint read it from memory.
 * <p>
 * {@link io.gator.insight.Insight} refreshes it once per interval. Each process tells the
 * cluster its own rates and hears those of the others; one of them, the first in the
 * interval, counts what is in the tables and tells the others. So a cluster of any size
 * asks the one costly question once per interval, and a scrape asks none.
 * <p>
 * Figures never hold up work: they are asked for on a thread of their own, with a short
 * time-out, and when the database does not answer the last ones stay, with their age.
 */
@NullMarked
package io.gator.insight;

import org.jspecify.annotations.NullMarked;
