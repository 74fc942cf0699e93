package io.gator.startup;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.routing.Routes;
import io.gator.store.StoreExceptions;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * What becomes of what the checks find.
 */
@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class StartupInspectionTests {

	private static final StartupFacts FACTS = new TestFacts().build();

	private static StartupInspection inspection(Supplier<StartupFacts> facts, boolean fail, String... findings) {
		List<StartupCheck> checks = List.of(findings)
			.stream()
			.<StartupCheck>map((each) -> (any) -> List.of(each))
			.toList();
		return new StartupInspection(mock(Routes.class), facts, checks, fail, 7);
	}

	@Test
	void whatIsFoundIsLoggedAndTheStartGoesOn(CapturedOutput output) {
		StartupInspection inspection = inspection(() -> FACTS, false, "The first.", "The second.");
		inspection.start();
		assertThat(inspection.isRunning()).isTrue();
		assertThat(inspection.getPhase()).isEqualTo(7);
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).hasSize(2)
			.satisfiesExactly((line) -> assertThat(line).contains("The first."),
					(line) -> assertThat(line).contains("The second."));
	}

	@Test
	void whatIsFoundRefusesTheStartWhereThatIsAskedFor() {
		assertThatExceptionOfType(HarmfulSettingsException.class)
			.isThrownBy(() -> inspection(() -> FACTS, true, "The first.", "The second.").start())
			.satisfies((ex) -> assertThat(ex.findings()).containsExactly("The first.", "The second."));
		StartupInspection sound = inspection(() -> FACTS, true);
		sound.start();
		assertThat(sound.isRunning()).isTrue();
	}

	@Test
	void aServerThatCannotBeAskedIsNoReasonNotToStart(CapturedOutput output) {
		StartupInspection inspection = inspection(() -> {
			throw StoreExceptions.passing();
		}, true, "Never looked at.");
		inspection.start();
		assertThat(inspection.isRunning()).isTrue();
		assertThat(output).contains("could not read the server's settings").doesNotContain("Never looked at.");
	}

	@Test
	void anApplicationIsWarnedOfTooFewConnectionsUnlessItWantsToBeRefusedOrNotToBeTold(DatabaseHandle database,
			CapturedOutput output) {
		String finding = "has at most 3 connections, and 10 jobs run at once";
		start(database, "off");
		assertThat(output).doesNotContain(finding);
		start(database, "warn");
		assertThat(output.getOut().lines().filter((line) -> line.contains(finding))).singleElement()
			.asString()
			.contains("WARN");
		assertThatException().isThrownBy(() -> start(database, "fail"))
			.havingRootCause()
			.isInstanceOf(HarmfulSettingsException.class)
			.withMessageContaining(finding);
	}

	private static void start(DatabaseHandle database, String checks) {
		TestApplication
			.start(database, List.of(ObservabilityConfiguration.class), "spring.datasource.hikari.maximum-pool-size=3",
					"gator.startup-checks=" + checks)
			.close();
	}

	@Test
	void anInspectionLooksOnceHoweverOftenItIsStarted() {
		AtomicInteger looks = new AtomicInteger();
		StartupInspection inspection = inspection(() -> {
			looks.incrementAndGet();
			return FACTS;
		}, false);
		inspection.start();
		inspection.stop();
		assertThat(inspection.isRunning()).isFalse();
		inspection.start();
		assertThat(looks).hasValue(1);
	}

}
