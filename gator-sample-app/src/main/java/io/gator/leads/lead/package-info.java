/**
 * Leads and what is known about them.
 */
@NullMarked
package io.gator.leads.lead;

import org.jspecify.annotations.NullMarked;
