/**
 * A report of what was found when an application starts, and checks that look once for
 * settings that do harm. A check is a small class that looks at
 * {@link io.gator.startup.StartupFacts} and says what is wrong and what to do about it.
 */
@NullMarked
package io.gator.startup;

import org.jspecify.annotations.NullMarked;
