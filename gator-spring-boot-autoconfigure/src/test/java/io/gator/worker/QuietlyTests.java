package io.gator.worker;

import io.gator.test.Unspeakable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class QuietlyTests {

	private static final Logger logger = LoggerFactory.getLogger(QuietlyTests.class);

	@Test
	void whatCanBeSaidIsSaid(CapturedOutput output) {
		Quietly.error(logger, "{} has failed", "The subject", new IllegalStateException("for a reason"));
		assertThat(output).contains("The subject has failed").contains("for a reason");
	}

	@Test
	void whatCannotBeSaidIsNoFailure() {
		Unspeakable error = new Unspeakable();
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> logger.error("a failure", error));
		assertThatCode(() -> Quietly.error(logger, "{} has failed", "The subject", error)).doesNotThrowAnyException();
	}

}
