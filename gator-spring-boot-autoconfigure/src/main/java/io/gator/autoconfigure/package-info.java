/**
 * Wiring and properties. Everything optional is an auto-configuration of its own that
 * backs off; nothing imports this package.
 */
@NullMarked
package io.gator.autoconfigure;

import org.jspecify.annotations.NullMarked;
