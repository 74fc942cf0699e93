/**
 * Files of leads: reading them, taking them in, and reporting when all is done.
 */
@NullMarked
package io.gator.leads.imports;

import org.jspecify.annotations.NullMarked;
