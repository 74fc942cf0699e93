package io.gator.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that read the properties, and have nothing else of Gator's.
 */
abstract class AbstractPropertiesTests {

	final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(PropertiesOnly.class);

	ApplicationContextRunner yaml(String text) {
		return this.runner.withInitializer((context) -> {
			try {
				new YamlPropertySourceLoader()
					.load("application.yml", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
					.forEach(context.getEnvironment().getPropertySources()::addLast);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	static ApplicationContextInitializer<ConfigurableApplicationContext> variables(Map<String, Object> variables) {
		return (context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables));
	}

	static GatorProperties.Worker worker(ApplicationContext context) {
		return context.getBean(GatorProperties.class).worker();
	}

	static FailureAnalysis analyze(Throwable failure) {
		assertThat(failure).isNotNull();
		FailureAnalysis analysis = new InvalidPropertyFailureAnalyzer().analyze(failure);
		assertThat(analysis).isNotNull();
		return analysis;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(GatorProperties.class)
	static class PropertiesOnly {

		@Bean
		static QueueNames queueNames(Environment environment) {
			return new QueueNames(environment);
		}

		@Bean
		static PoolKeys poolKeys() {
			return new PoolKeys();
		}

	}

}
