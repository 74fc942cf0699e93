package io.gator.worker;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * P7: a pool that lost its lock gives up after two and a half heartbeats, and others take
 * it for dead after three. What lies between must do for the look and for the interrupt.
 */
class FencePauseTests {

	@ParameterizedTest
	@CsvSource({ "30s, 1s", "2s, 300ms", "3s, 1s", "10m, 10s" })
	void aPoolLooksForItsEndOftenEnoughToComeBeforeTheThirdBeatThatOthersMiss(String lease, String heartbeat) {
		Duration beat = duration(heartbeat);
		long pause = Fence.pause(TestSettings.slots(10).heartbeat(beat).lease(duration(lease)).get());
		assertThat(Duration.ofNanos(pause)).isPositive().isLessThanOrEqualTo(beat.dividedBy(10));
		assertThat(Duration.ofNanos(pause)).isLessThan(duration(lease).dividedBy(15));
	}

	private static Duration duration(String text) {
		return DurationStyle.detectAndParse(text);
	}

}
