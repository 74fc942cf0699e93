package io.gator.leads;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.io.Resource;

/**
 * What can be set about this application.
 *
 * @param importAtStart whether a file is taken in at start
 * @param importFile that file, by default the one that comes with this application
 * @param followUpAfter how long after its scoring a promising lead is called
 * @param rankAfter how long after a promising lead was found the leads are ranked; those
 * found meanwhile are ranked with it
 * @param paymentGrace how long after the term a payment reminder is sent
 * @param mailFrom the sender of all mail
 */
@ConfigurationProperties("leads")
public record LeadsProperties(@DefaultValue("true") boolean importAtStart,
		@DefaultValue("classpath:leads.csv") Resource importFile, @DefaultValue("3s") Duration followUpAfter,
		@DefaultValue("2s") Duration rankAfter, @DefaultValue("4s") Duration paymentGrace,
		@DefaultValue("hello@leads.example") String mailFrom) {

}
