/**
 * What has to be done now and then, whatever the load: one duty per class, each with a
 * {@code runOnce()} that does it and says what it did.
 * {@link io.gator.maintenance.Upkeep} has two threads that call them, one for what is
 * slow; {@link io.gator.maintenance.Heartbeat} has its own.
 */
@NullMarked
package io.gator.maintenance;

import org.jspecify.annotations.NullMarked;
