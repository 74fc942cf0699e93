package io.gator.leads.embedded;

import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mail.javamail.JavaMailSenderImpl;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedServersTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(EmbeddedServers.class);

	@Test
	void serversThatAreNamedAreNotStarted() {
		this.runner
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://db.example/leads",
					"spring.mail.host=mail.example")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedDatabase.class)
				.doesNotHaveBean(EmbeddedMailServer.class)
				.doesNotHaveBean(JavaMailSenderImpl.class));
	}

	@Test
	void mailGoesToTheEmbeddedServerIfNoneIsNamed() {
		this.runner.withPropertyValues("spring.datasource.url=jdbc:postgresql://db.example/leads")
			.run((context) -> assertThat(context.getBean(JavaMailSenderImpl.class).getPort())
				.isEqualTo(context.getBean(EmbeddedMailServer.class).port()));
	}

}
