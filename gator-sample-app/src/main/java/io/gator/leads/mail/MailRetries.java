package io.gator.leads.mail;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.gator.RetryWith;

/**
 * The retries of all jobs that send mail: three, but none to an address that was refused
 * for ever.
 */
@RetryWith(interval = "${leads.mail-retry-interval:1s}", maxRetries = 3, noRetryFor = MailRefusedException.class)
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface MailRetries {

}
