/**
 * Mail to leads, sent by jobs because mail servers are slow and refuse now and then.
 */
@NullMarked
package io.gator.leads.mail;

import org.jspecify.annotations.NullMarked;
