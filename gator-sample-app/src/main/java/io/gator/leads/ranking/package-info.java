/**
 * The order of the leads, which is made anew when somebody asks, but not twice at once.
 */
@NullMarked
package io.gator.leads.ranking;

import org.jspecify.annotations.NullMarked;
