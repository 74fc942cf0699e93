/**
 * Asking the register of companies, a service of somebody else with moods of its own.
 */
@NullMarked
package io.gator.leads.register;

import org.jspecify.annotations.NullMarked;
