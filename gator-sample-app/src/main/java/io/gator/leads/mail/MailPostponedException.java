package io.gator.leads.mail;

/**
 * The mail server does not take a mail for now. It may another time.
 */
public class MailPostponedException extends RuntimeException {

	MailPostponedException(String reply, Throwable cause) {
		super(reply, cause);
	}

}
