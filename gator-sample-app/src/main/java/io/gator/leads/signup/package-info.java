/**
 * People who sign up themselves: a lead and its jobs in one transaction.
 */
@NullMarked
package io.gator.leads.signup;

import org.jspecify.annotations.NullMarked;
