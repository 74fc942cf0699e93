/**
 * The endpoint {@code /actuator/gator}: what the queues do, why a job is not running, and
 * what can be done about it.
 * <p>
 * Reading costs the database little: queues come from {@link io.gator.insight.Insight},
 * the rest are bounded statements, though a page of few jobs among many reads its whole
 * table by several of them. Writing is refused by Actuator itself unless the access to
 * the endpoint is set to unrestricted. Arguments of jobs are shown only on demand.
 */
@NullMarked
package io.gator.actuate;

import org.jspecify.annotations.NullMarked;
