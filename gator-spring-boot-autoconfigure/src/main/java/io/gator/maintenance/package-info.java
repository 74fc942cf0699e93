/**
 * What has to be done now and then, whatever the load. The loops are apart from the
 * duties, each of which is a method that takes one turn.
 * {@link io.gator.maintenance.Upkeep} has two threads that call them, one for what is
 * slow; {@link io.gator.maintenance.Heartbeat} has its own.
 */
@NullMarked
package io.gator.maintenance;

import org.jspecify.annotations.NullMarked;
