package io.gator.insight;

import java.time.Duration;
import java.util.Map;

import io.gator.worker.AttemptOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RatesTests {

	private final Rates rates = new Rates();

	private long now = System.nanoTime();

	private Map<String, Rate> readAfter(Duration time) {
		this.now += time.toNanos();
		return this.rates.read(this.now);
	}

	@Test
	void whatComesAndWhatIsOverIsToldBySecondSinceItWasToldLast() {
		readAfter(Duration.ofSeconds(1));
		this.rates.dispatched("Send", "mail", 10);
		for (AttemptOutcome outcome : AttemptOutcome.values()) {
			this.rates.executed("Send", "mail", outcome, 1);
		}
		assertThat(readAfter(Duration.ofSeconds(2))).as("succeeded, dead and cancelled are over")
			.isEqualTo(Map.of("mail", new Rate(5, 1.5)));
		assertThat(readAfter(Duration.ofSeconds(2))).isEmpty();
		this.rates.dispatched("Send", "mail", 1);
		assertThat(readAfter(Duration.ofSeconds(4))).isEqualTo(Map.of("mail", new Rate(0.25, 0)));
	}

	@Test
	void ofMoreThanAThousandQueuesOnlyThoseThatCameFirstAreTold() {
		for (int i = 0; i < 1_005; i++) {
			this.rates.dispatched("Send", "queue-" + i, 1);
		}
		assertThat(readAfter(Duration.ofSeconds(1))).hasSize(1_000).containsKey("queue-999");
	}

}
