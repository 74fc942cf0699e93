package io.gator.observation;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.gator.test.Unspeakable;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

@ExtendWith(OutputCaptureExtension.class)
class QuietObservationTests {

	@Test
	void anErrorThatCannotBeReadFailsNothing(CapturedOutput output) {
		forgetLastWarning();
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new Failing());
		QuietObservation observation = QuietObservation.begin(registry,
				() -> Observation.createNotStarted("test", registry));
		assertThatNoException().isThrownBy(() -> observation.end(null));
		assertThat(output).contains("An observation failed; the jobs are not affected: " + Unspeakable.class.getName());
	}

	/** Other tests may have used up the warning of this minute. */
	private static void forgetLastWarning() {
		Object warnings = Objects.requireNonNull(ReflectionTestUtils.getField(QuietObservation.class, "warnings"));
		AtomicLong last = (AtomicLong) Objects.requireNonNull(ReflectionTestUtils.getField(warnings, "last"));
		last.addAndGet(-Duration.ofMinutes(1).toNanos());
	}

	private static final class Failing implements ObservationHandler<Observation.Context> {

		@Override
		public void onStop(Observation.Context context) {
			throw new Unspeakable();
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
