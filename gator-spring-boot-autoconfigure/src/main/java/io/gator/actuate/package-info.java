/**
 * The endpoint {@code /actuator/gator}: what the queues do, why a job is not running, and
 * what can be done about it.
 * <p>
 * Reading costs the database little: queues come from {@link io.gator.insight.Insight},
 * the rest comes from bounded statements, though a page that finds few jobs among many
 * takes several of them, which read its whole table. Writing is refused by Actuator
 * itself unless the access to the endpoint is set to unrestricted. Arguments of jobs are
 * shown only on demand.
 */
@NullMarked
package io.gator.actuate;

import org.jspecify.annotations.NullMarked;
