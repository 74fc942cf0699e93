/**
 * Measures Gator beside its peers, in turns within one run, on one PostgreSQL that writes
 * as in production. {@link io.gator.benchmarks.Benchmarks} runs the scenarios and writes
 * the report.
 * <p>
 * What must always hold: a scenario checks that every job ran and was settled before it
 * reports a figure; durability is asked of the server, not assumed; figures of different
 * runs are never compared.
 */
@NullMarked
package io.gator.benchmarks;

import org.jspecify.annotations.NullMarked;
