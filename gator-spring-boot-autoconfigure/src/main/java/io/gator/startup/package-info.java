/**
 * What is said and looked at once, when an application starts: a report of what was
 * found, and checks of settings that do harm. A check is a small class that looks at
 * {@link io.gator.startup.StartupFacts} and says what is wrong and what to do about it.
 */
@NullMarked
package io.gator.startup;

import org.jspecify.annotations.NullMarked;
