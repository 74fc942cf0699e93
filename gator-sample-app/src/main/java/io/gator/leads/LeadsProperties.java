package io.gator.leads;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be set about this application.
 *
 * @param importAtStart whether the shipped {@code leads.csv} is taken in at start
 * @param followUpAfter how long after its scoring a promising lead is called
 * @param paymentGrace how long after the term a payment reminder is sent
 * @param mailFrom the sender of all mail
 * @param mailRetryInterval the time before mail that was refused for now is sent again
 */
@ConfigurationProperties("leads")
public record LeadsProperties(@DefaultValue("true") boolean importAtStart, @DefaultValue("3s") Duration followUpAfter,
		@DefaultValue("4s") Duration paymentGrace, @DefaultValue("hello@leads.example") String mailFrom,
		@DefaultValue("1s") Duration mailRetryInterval) {

}
