package io.gator.leads.mail;

import java.time.Duration;
import java.util.Locale;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.gator.leads.LeadsProperties;
import io.gator.leads.lead.Lead;
import jakarta.mail.internet.MimeMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.support.ResourceBundleMessageSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.mail.javamail.JavaMailSenderImpl;

import static org.assertj.core.api.Assertions.assertThat;

class MailerTests {

	private static final Lead LEAD = new Lead(7, "Ada", "ada@cedar.example", null, "DE", 1, 1, true, null, null, null,
			null, null, null);

	private final ServerSetup setup = new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP);

	private final GreenMail server = new GreenMail(this.setup);

	@BeforeEach
	void start() {
		this.setup.setServerStartupTimeout(30_000);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop();
	}

	@Test
	void aTextThatIsSentAgainHasTheSameId() throws Exception {
		Mailer mailer = mailer();
		mailer.send(LEAD, "welcome", Locale.GERMAN);
		mailer.send(LEAD, "welcome", Locale.GERMAN);
		mailer.send(LEAD, "reminder", Locale.GERMAN);
		assertThat(this.server.getReceivedMessages()).extracting(MimeMessage::getMessageID)
			.containsExactly("<welcome-7@leads.example>", "<welcome-7@leads.example>", "<reminder-7@leads.example>");
	}

	@Test
	void aLeadIsWrittenToInItsLanguage() throws Exception {
		mailer().send(LEAD, "welcome", LEAD.language());
		assertThat(this.server.getReceivedMessages()).extracting(MimeMessage::getSubject)
			.containsExactly(texts().getMessage("welcome.subject", null, Locale.GERMAN));
	}

	private Mailer mailer() {
		JavaMailSenderImpl sender = new JavaMailSenderImpl();
		sender.setHost("127.0.0.1");
		sender.setPort(this.server.getSmtp().getPort());
		sender.setDefaultEncoding("UTF-8");
		return new Mailer(sender, texts(), new LeadsProperties(false, new ByteArrayResource(new byte[0]), Duration.ZERO,
				Duration.ZERO, Duration.ZERO, "hello@leads.example"));
	}

	private static ResourceBundleMessageSource texts() {
		ResourceBundleMessageSource texts = new ResourceBundleMessageSource();
		texts.setBasename("messages");
		texts.setDefaultEncoding("UTF-8");
		return texts;
	}

}
