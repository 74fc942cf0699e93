/**
 * Traces and logging context that go from the thread which dispatches a job, through the
 * metadata of its row, to the thread which runs it:
 *
 * <pre>
 * {"headers": {"traceparent": "00-…", "mdc.tenant": "…"}}
 * </pre>
 *
 * A row without metadata costs nothing, and without a tracer, {@code gator.mdc-keys} or a
 * chain no row gets any.
 * <p>
 * To change names and keys of the observations an application declares a bean of
 * {@link io.gator.observation.DispatchObservationConvention} or
 * {@link io.gator.observation.ExecuteObservationConvention}.
 */
@NullMarked
package io.gator.observation;

import org.jspecify.annotations.NullMarked;
