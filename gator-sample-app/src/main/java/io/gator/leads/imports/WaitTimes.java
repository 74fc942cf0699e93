package io.gator.leads.imports;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.springframework.stereotype.Component;

/**
 * How long jobs waited, from when they were due to when they began, in this process. It
 * is Gator's own meter; which percentiles it keeps stands in {@code application.yml}.
 */
@Component
class WaitTimes {

	private static final String METER = "gator.jobs.wait";

	private final MeterRegistry meters;

	WaitTimes(MeterRegistry meters) {
		this.meters = meters;
	}

	/**
	 * The median and the 99th percentile.
	 * @param queue the queue
	 * @param name the name of the job
	 * @return two durations; empty if no such job began in this process
	 */
	Optional<Percentiles> of(String queue, String name) {
		return Optional.ofNullable(this.meters.find(METER).tags("queue", queue, "name", name).timer())
			.map((timer) -> new Percentiles(percentile(timer, 0.5), percentile(timer, 0.99)));
	}

	private static Duration percentile(Timer timer, double percentile) {
		return Arrays.stream(timer.takeSnapshot().percentileValues())
			.filter((value) -> value.percentile() == percentile)
			.map((value) -> Duration.ofNanos((long) value.value()))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(METER + " keeps no percentile " + percentile));
	}

	record Percentiles(Duration median, Duration p99) {

	}

}
