/**
 * What has to be done now and then, whatever the load: one duty per class, each with a
 * {@code runOnce()} that does it and says what it did.
 * {@link io.gator.maintenance.Upkeep} is the thread that calls them.
 */
@NullMarked
package io.gator.maintenance;

import org.jspecify.annotations.NullMarked;
