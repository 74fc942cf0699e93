package io.gator.leads.mail;

/**
 * The mail server refused an address for ever. To try again would be of no use.
 */
public class MailRefusedException extends RuntimeException {

	MailRefusedException(String reply, Throwable cause) {
		super(reply, cause);
	}

}
