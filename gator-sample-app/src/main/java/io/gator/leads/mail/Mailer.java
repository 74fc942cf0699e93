package io.gator.leads.mail;

import java.util.Locale;

import io.gator.leads.LeadsProperties;
import io.gator.leads.lead.Lead;
import jakarta.mail.SendFailedException;

import org.springframework.context.MessageSource;
import org.springframework.mail.MailSendException;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.MimeMessageHelper;
import org.springframework.stereotype.Component;
import org.springframework.util.ObjectUtils;

/**
 * Writes to leads, in their language.
 */
@Component
public class Mailer {

	private final JavaMailSender sender;

	private final MessageSource texts;

	private final LeadsProperties properties;

	Mailer(JavaMailSender sender, MessageSource texts, LeadsProperties properties) {
		this.sender = sender;
		this.texts = texts;
		this.properties = properties;
	}

	/**
	 * Send a mail. Jobs run at least once, so a lead may be sent the same text again, but
	 * under the same {@code Message-ID}, and a mail server that knows it drops the
	 * second. The id of the job would not do for that: these begin at 1 in each database.
	 * @param lead whom to send it to
	 * @param text the name of the text
	 * @param language the language to write in
	 * @throws MailRefusedException if the address was refused for ever
	 * @throws MailPostponedException if the address was refused for now
	 * @throws org.springframework.mail.MailException if the server cannot be reached
	 */
	public void send(Lead lead, String text, Locale language) {
		try {
			this.sender.send((mail) -> {
				MimeMessageHelper message = new MimeMessageHelper(mail);
				message.setFrom(this.properties.mailFrom());
				message.setTo(lead.email());
				message.setSubject(this.texts.getMessage(text + ".subject", null, language));
				message.setText(this.texts.getMessage(text + ".text", new Object[] { lead.name() }, language));
				mail.setHeader("Message-ID", "<%s-%d@leads.example>".formatted(text, lead.id()));
			});
		}
		catch (MailSendException ex) {
			throw translate(ex);
		}
	}

	/**
	 * Jakarta Mail calls an address invalid if the server answered 5xx, and valid but
	 * unsent if it answered 4xx.
	 */
	private static RuntimeException translate(MailSendException failure) {
		for (Exception each : failure.getMessageExceptions()) {
			if (each instanceof SendFailedException refused) {
				return ObjectUtils.isEmpty(refused.getInvalidAddresses())
						? new MailPostponedException(reply(refused), failure)
						: new MailRefusedException(reply(refused), failure);
			}
		}
		return failure;
	}

	private static String reply(SendFailedException refused) {
		Exception answer = (refused.getNextException() != null) ? refused.getNextException() : refused;
		return String.valueOf(answer.getMessage()).strip();
	}

}
