package io.gator.observation;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.gator.JobContext;
import io.gator.worker.AttemptObserver;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Names and keys of observations, how much of the logging context goes into a row, and
 * that a result goes through.
 */
class ConventionsTests {

	/** Stands for what bounds names. */
	private static final UnaryOperator<String> NAMES = (name) -> name.toUpperCase(Locale.ROOT);

	private static final UnaryOperator<String> QUEUES = (queue) -> "a queue";

	@Test
	void aDispatchIsTaggedWithBoundedNames() {
		DispatchObservationContext dispatch = new DispatchObservationContext("Send", "mail", 3);
		DefaultDispatchObservationConvention convention = new DefaultDispatchObservationConvention(NAMES, QUEUES);
		assertThat(convention.getName()).isEqualTo("gator.job.dispatch");
		assertThat(convention.getContextualName(dispatch)).isEqualTo("dispatch Send");
		assertThat(convention.getLowCardinalityKeyValues(dispatch))
			.isEqualTo(KeyValues.of("gator.job.name", "SEND", "gator.job.queue", "a queue"));
		assertThat(convention.getHighCardinalityKeyValues(dispatch)).isEqualTo(KeyValues.of("gator.job.count", "3"));
	}

	@Test
	void anAttemptIsTaggedWithBoundedNamesAndHowItEnded() {
		JobContext job = mock(JobContext.class);
		given(job.id()).willReturn(7L);
		given(job.name()).willReturn("Send");
		given(job.queue()).willReturn("mail");
		given(job.attempt()).willReturn(2);
		ExecuteObservationContext attempt = new ExecuteObservationContext(job, Map.of());
		DefaultExecuteObservationConvention convention = new DefaultExecuteObservationConvention(NAMES, QUEUES);
		assertThat(convention.getName()).isEqualTo("gator.job.execute");
		assertThat(convention.getContextualName(attempt)).isEqualTo("execute Send");
		assertThat(convention.getLowCardinalityKeyValues(attempt)).isEqualTo(
				KeyValues.of("gator.job.name", "SEND", "gator.job.queue", "a queue", "gator.job.outcome", "succeeded"));
		attempt.setEnding("snoozed");
		assertThat(convention.getLowCardinalityKeyValues(attempt)).isEqualTo(
				KeyValues.of("gator.job.name", "SEND", "gator.job.queue", "a queue", "gator.job.outcome", "snoozed"));
		attempt.setError(new IllegalStateException());
		assertThat(convention.getLowCardinalityKeyValues(attempt)).isEqualTo(
				KeyValues.of("gator.job.name", "SEND", "gator.job.queue", "a queue", "gator.job.outcome", "failed"));
		assertThat(convention.getHighCardinalityKeyValues(attempt))
			.isEqualTo(KeyValues.of("gator.job.id", "7", "gator.job.attempt", "2"));
	}

	@Test
	void aLongValueOfTheLoggingContextTravelsShortenedAndWholeInItsCharacters() {
		MDC.put("long", "x".repeat(255) + "\uD83D\uDC0A" + "y".repeat(10_000));
		MDC.put("short", "x".repeat(256));
		try {
			assertThat(new MdcPropagation(List.of("long", "short", "none")).begin("Send", "mail", 1).headers())
				.containsOnly(Map.entry("mdc.long", "x".repeat(255)), Map.entry("mdc.short", "x".repeat(256)));
		}
		finally {
			MDC.clear();
		}
	}

	@Test
	void whatAHandlerReturnsComesThroughWhoeverObservesIt() throws Exception {
		ExecuteObservationConvention convention = new DefaultExecuteObservationConvention(NAMES, QUEUES);
		for (AttemptObserver observer : List.of(new MdcPropagation(List.of("key")),
				new ObservedAttempts(TestObservationRegistry.create(), convention, () -> true),
				new ObservedAttempts(ObservationRegistry.NOOP, convention, () -> false))) {
			assertThat(observer.observe(mock(JobContext.class), null, () -> "sent")).isEqualTo("sent");
		}
	}

}
