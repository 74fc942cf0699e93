package io.gator.leads.embedded;

import jakarta.mail.SendFailedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.mail.MailSendException;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSenderImpl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EmbeddedMailServerTests {

	private final EmbeddedMailServer server;

	private final JavaMailSenderImpl sender;

	EmbeddedMailServerTests() throws InterruptedException {
		this.server = new EmbeddedMailServer();
		this.sender = new EmbeddedServers.Mail().mailSender(this.server);
	}

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void mostMailIsTaken() {
		send("ada@cedar.example");
	}

	@Test
	void slowAddressesAreRefusedOnce() {
		assertThat(refused("ada@slow.example").getValidUnsentAddresses()).hasSize(1);
		send("ada@slow.example");
	}

	@Test
	void fullMailboxesAreRefusedEachTimeButNotForEver() {
		assertThat(refused("ada@full.example").getValidUnsentAddresses()).hasSize(1);
		assertThat(refused("ada@full.example").getInvalidAddresses()).isEmpty();
	}

	@Test
	void addressesThatAreGoneAreRefusedForEver() {
		assertThat(refused("ada@gone.example").getInvalidAddresses()).hasSize(1);
	}

	@Test
	void eachServerFindsAFreePort() throws InterruptedException {
		try (EmbeddedMailServer other = new EmbeddedMailServer()) {
			assertThat(other.port()).isPositive().isNotEqualTo(this.server.port());
		}
	}

	private SendFailedException refused(String address) {
		MailSendException failure = assertThatExceptionOfType(MailSendException.class).isThrownBy(() -> send(address))
			.actual();
		return (SendFailedException) failure.getMessageExceptions()[0];
	}

	private void send(String address) {
		SimpleMailMessage message = new SimpleMailMessage();
		message.setFrom("hello@leads.example");
		message.setTo(address);
		message.setText("Hello");
		this.sender.send(message);
	}

}
