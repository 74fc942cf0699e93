/**
 * What was done about leads, kept here and told to the marketing service a thousand at a
 * time.
 */
@NullMarked
package io.gator.leads.activity;

import org.jspecify.annotations.NullMarked;
