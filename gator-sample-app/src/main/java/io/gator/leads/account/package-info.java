/**
 * Opening an account for those who sign up: a chain of jobs.
 */
@NullMarked
package io.gator.leads.account;

import org.jspecify.annotations.NullMarked;
