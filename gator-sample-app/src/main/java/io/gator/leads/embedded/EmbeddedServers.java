package io.gator.leads.embedded;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.mail.javamail.JavaMailSenderImpl;

/**
 * Starts the servers that nobody named: so the application runs on a machine that has
 * nothing but Java, and with {@code SPRING_DATASOURCE_URL} or {@code SPRING_MAIL_HOST} it
 * uses the real ones.
 */
@Configuration(proxyBeanMethods = false)
class EmbeddedServers {

	@Bean
	@Conditional(NoDataSourceNamed.class)
	EmbeddedDatabase embeddedDatabase() {
		return new EmbeddedDatabase();
	}

	@Configuration(proxyBeanMethods = false)
	@Conditional(NoMailServerNamed.class)
	static class Mail {

		@Bean
		EmbeddedMailServer embeddedMailServer() throws InterruptedException {
			return new EmbeddedMailServer();
		}

		@Bean
		JavaMailSenderImpl mailSender(EmbeddedMailServer server) {
			JavaMailSenderImpl sender = new JavaMailSenderImpl();
			sender.setHost(server.host());
			sender.setPort(server.port());
			sender.setDefaultEncoding("UTF-8");
			return sender;
		}

	}

	static class NoDataSourceNamed extends NoneNestedConditions {

		NoDataSourceNamed() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty("spring.datasource.url")
		static class Url {

		}

		@ConditionalOnProperty("spring.datasource.jndi-name")
		static class Jndi {

		}

	}

	static class NoMailServerNamed extends NoneNestedConditions {

		NoMailServerNamed() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty("spring.mail.host")
		static class Host {

		}

		@ConditionalOnProperty("spring.mail.jndi-name")
		static class Jndi {

		}

	}

}
