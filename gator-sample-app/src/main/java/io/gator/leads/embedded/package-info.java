/**
 * The database and the mail server of an application that was given none.
 */
@NullMarked
package io.gator.leads.embedded;

import org.jspecify.annotations.NullMarked;
