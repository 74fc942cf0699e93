package io.gator.leads.embedded;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import com.icegreen.greenmail.Managers;
import com.icegreen.greenmail.mail.MailAddress;
import com.icegreen.greenmail.smtp.SmtpManager;
import com.icegreen.greenmail.smtp.SmtpServer;
import com.icegreen.greenmail.smtp.SmtpState;
import com.icegreen.greenmail.util.ServerSetup;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mail server on a free port that keeps what it takes in memory, and refuses recipients
 * as those of the real world do, by their domain:
 * <ul>
 * <li>{@code slow.example}: the first time, as greylisting does</li>
 * <li>{@code full.example}: for now, but every time</li>
 * <li>{@code gone.example}: for ever</li>
 * </ul>
 */
final class EmbeddedMailServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedMailServer.class);

	private static final String LOCALHOST = "127.0.0.1";

	private final SmtpServer server;

	EmbeddedMailServer() throws InterruptedException {
		this.server = new SmtpServer(new ServerSetup(0, LOCALHOST, ServerSetup.PROTOCOL_SMTP), new ChoosyManagers());
		this.server.startService();
		if (!this.server.waitTillRunning(10_000)) {
			throw new EmbeddedServerException("The embedded mail server did not start",
					"Set SPRING_MAIL_HOST and SPRING_MAIL_PORT to take another one.", null);
		}
		logger.info("Embedded mail server on port {}; it delivers nothing", port());
	}

	String host() {
		return LOCALHOST;
	}

	int port() {
		return this.server.getPort();
	}

	@Override
	public void close() {
		this.server.stopService();
	}

	private static final class ChoosyManagers extends Managers {

		private final SmtpManager smtp = new ChoosySmtpManager(this);

		@Override
		public SmtpManager getSmtpManager() {
			return this.smtp;
		}

	}

	private static final class ChoosySmtpManager extends SmtpManager {

		private final Set<String> seenBefore = ConcurrentHashMap.newKeySet();

		ChoosySmtpManager(Managers managers) {
			super(managers.getImapHostManager(), managers.getUserManager());
		}

		@Override
		public @Nullable String checkRecipient(SmtpState state, MailAddress recipient) {
			String address = recipient.getEmail();
			return switch (address.substring(address.indexOf('@') + 1)) {
				case "slow.example" -> this.seenBefore.add(address) ? "451 4.7.1 Greylisted, try again" : null;
				case "full.example" -> "452 4.2.2 Mailbox full";
				case "gone.example" -> "550 5.1.1 No such mailbox";
				default -> null;
			};
		}

	}

}
