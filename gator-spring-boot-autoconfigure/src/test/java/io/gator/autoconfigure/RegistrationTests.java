package io.gator.autoconfigure;

import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What an application finds without naming it. Other tests name what they need, and would
 * not see that it is missing from the files that Boot reads.
 */
@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class RegistrationTests {

	private final DatabaseHandle database;

	RegistrationTests(DatabaseHandle database) {
		this.database = database;
	}

	@Test
	void everyAutoConfigurationIsFound() {
		List<String> written = new ClassFileImporter()
			.importUrl(Job.class.getProtectionDomain().getCodeSource().getLocation())
			.stream()
			.filter((type) -> type.isAnnotatedWith(AutoConfiguration.class))
			.map(JavaClass::getName)
			.toList();
		assertThat(written).isNotEmpty();
		assertThat(Applications.autoConfigurations()).containsExactlyInAnyOrderElementsOf(written);
	}

	@Test
	void aPropertyThatIsNotAllowedIsShownWithWhatIs(CapturedOutput output) {
		fail(List.of(), "gator.worker.concurrency=0");
		assertThat(output).contains("Change gator.worker.concurrency. Allowed: 1 to 10000");
	}

	@Test
	void settingsThatDoHarmAreShownWithTheWayAroundThem(CapturedOutput output) {
		fail(List.of(ObservabilityConfiguration.class), "gator.startup-checks=fail",
				"spring.datasource.hikari.maximum-pool-size=3");
		assertThat(output).containsPattern("(?m)^ {2}- .*at most 3 connections")
			.contains("gator.startup-checks to warn");
	}

	@Test
	void aDatabaseThatDoesNotSuitIsShownWithTheRemedy(CapturedOutput output) {
		fail(List.of(), "gator.migrate=false", "gator.schema=nowhere");
		assertThat(output.getOut()).containsSubsequence("Description:", "The schema 'nowhere' does not hold", "Action:",
				"Run the scripts of classpath:io/gator/migration");
	}

	@Test
	void aJobThatCannotWorkIsShownWithTheRemedy(CapturedOutput output) {
		fail(List.of(WithoutHandle.class));
		assertThat(output.getOut()).containsSubsequence("Description:", "no method named 'handle'", "Action:",
				"Add a method 'handle'");
	}

	@Test
	void thatThereIsNoTemplateIsExplained(CapturedOutput output) {
		fail(List.of(SignUps.class), "gator.enabled=false");
		assertThat(output).contains("A bean needs a JobTemplate, and there is none, because Gator is not there");
	}

	private void fail(List<Class<?>> beans, String... properties) {
		assertThatException().isThrownBy(() -> TestApplication.start(this.database, beans, properties).close());
	}

	@Job
	static class WithoutHandle {

	}

	static class SignUps {

		SignUps(JobTemplate jobs) {
		}

	}

}
