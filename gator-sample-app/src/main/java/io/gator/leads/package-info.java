/**
 * The sample application of Gator: a small CRM.
 */
@NullMarked
package io.gator.leads;

import org.jspecify.annotations.NullMarked;
