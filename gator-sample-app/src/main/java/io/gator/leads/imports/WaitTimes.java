package io.gator.leads.imports;

import java.time.Duration;
import java.time.Instant;

import io.gator.JobContext;
import io.gator.JobListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;

import org.springframework.stereotype.Component;

/**
 * How long jobs waited, from when they were due to when they began, in this process.
 */
@Component
class WaitTimes implements JobListener {

	private static final String METER = "leads.jobs.wait";

	private final MeterRegistry meters;

	WaitTimes(MeterRegistry meters) {
		this.meters = meters;
	}

	@Override
	public void started(JobContext job) {
		if (job.attempt() == 1) {
			timer(job.queue(), job.name()).record(Duration.between(job.dispatchedAt(), Instant.now()));
		}
	}

	/**
	 * The median and the 99th percentile.
	 * @param queue the queue
	 * @param name the name of the job
	 * @return two durations
	 */
	Percentiles of(String queue, String name) {
		ValueAtPercentile[] values = timer(queue, name).takeSnapshot().percentileValues();
		return new Percentiles(duration(values[0]), duration(values[1]));
	}

	private Timer timer(String queue, String name) {
		return Timer.builder(METER)
			.tags("queue", queue, "name", name)
			.publishPercentiles(0.5, 0.99)
			.distributionStatisticExpiry(Duration.ofHours(1))
			.register(this.meters);
	}

	private static Duration duration(ValueAtPercentile value) {
		return Duration.ofNanos((long) value.value());
	}

	record Percentiles(Duration median, Duration p99) {

	}

}
