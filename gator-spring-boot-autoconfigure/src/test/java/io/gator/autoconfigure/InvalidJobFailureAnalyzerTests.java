package io.gator.autoconfigure;

import java.util.List;

import io.gator.Job;
import io.gator.routing.ArgsCodec;
import io.gator.routing.RetryDefaults;
import io.gator.routing.Routes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@ExtendWith(OutputCaptureExtension.class)
class InvalidJobFailureAnalyzerTests {

	@Test
	void aMistakeIsShownWithItsRemedyInsteadOfAStackTrace(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Mistaken.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(application::run);
		assertThat(output.getOut()).contains("APPLICATION FAILED TO START", "Description:")
			.contains("no method named 'handle'")
			.contains("Action:")
			.contains("Add a method 'handle'")
			.doesNotContain("\tat io.gator");
	}

	@Configuration(proxyBeanMethods = false)
	@Import(WithoutHandle.class)
	static class Mistaken {

		@Bean
		Routes routes(ConfigurableListableBeanFactory beans, Environment environment) {
			return Routes.of(beans, environment, new ArgsCodec(List.of(), 1000), RetryDefaults.NONE);
		}

	}

	@Job
	static class WithoutHandle {

	}

}
