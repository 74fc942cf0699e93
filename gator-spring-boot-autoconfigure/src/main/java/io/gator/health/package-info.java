/**
 * Health: whether the database answers, and the pools of this process beat, claim and
 * settle. Nothing here is secret: no hosts, no users, no texts of errors.
 */
@NullMarked
package io.gator.health;

import org.jspecify.annotations.NullMarked;
