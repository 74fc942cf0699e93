package io.gator.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

import io.gator.worker.AttemptOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of jobs, found by two look-ups in small maps. They are asked for some
 * hundred thousand times a second, and building a meter's id each time would cost more
 * than many a job.
 */
final class JobMeters {

	private final MeterRegistry registry;

	private final Function<String, @Nullable String> jobs;

	private final BoundedNames queues;

	private final Map<String, OfJob> byName = new ConcurrentHashMap<>();

	private final OfJob others = new OfJob(BoundedNames.OTHER, new ConcurrentHashMap<>());

	/**
	 * Create the meters.
	 * @param registry where they are
	 * @param jobs gives the name of a job, also for an alias, or {@code null} for a name
	 * that is not of this application
	 * @param queues the queues
	 */
	JobMeters(MeterRegistry registry, Function<String, @Nullable String> jobs, BoundedNames queues) {
		this.registry = registry;
		this.jobs = jobs;
		this.queues = queues;
	}

	Meters of(String name, String queue) {
		OfJob known = this.byName.get(name);
		OfJob job = (known != null) ? known : find(name);
		String label = this.queues.of(queue);
		Meters meters = job.byQueue.get(label);
		return (meters != null) ? meters : job.byQueue.computeIfAbsent(label, (key) -> new Meters(job.label, key));
	}

	private OfJob find(String name) {
		String job = this.jobs.apply(name);
		if (job == null) {
			return this.others;
		}
		OfJob found = this.byName.computeIfAbsent(job, (key) -> new OfJob(key, new ConcurrentHashMap<>()));
		this.byName.putIfAbsent(name, found);
		return found;
	}

	/**
	 * The meters of one job.
	 *
	 * @param label its name, as meters have it
	 * @param byQueue those of each queue
	 */
	private record OfJob(String label, Map<String, Meters> byQueue) {

	}

	/**
	 * The meters of one job on one queue, created when they are first needed.
	 */
	final class Meters {

		private final String name;

		private final String queue;

		private final AtomicReferenceArray<@Nullable Timer> executed = new AtomicReferenceArray<>(
				AttemptOutcome.values().length);

		private volatile @Nullable Timer wait;

		private volatile @Nullable Counter dispatched;

		Meters(String name, String queue) {
			this.name = name;
			this.queue = queue;
		}

		Timer executed(AttemptOutcome outcome) {
			Timer timer = this.executed.get(outcome.ordinal());
			if (timer == null) {
				timer = Timer.builder("gator.jobs.executed")
					.description("How long attempts took, with their listeners")
					.tag("name", this.name)
					.tag("queue", this.queue)
					.tag("outcome", outcome.label())
					.register(JobMeters.this.registry);
				this.executed.set(outcome.ordinal(), timer);
			}
			return timer;
		}

		Timer waited() {
			Timer timer = this.wait;
			if (timer == null) {
				timer = Timer.builder("gator.jobs.wait")
					.description("How long jobs waited from when they were due until they were started")
					.tag("name", this.name)
					.tag("queue", this.queue)
					.register(JobMeters.this.registry);
				this.wait = timer;
			}
			return timer;
		}

		Counter dispatched() {
			Counter counter = this.dispatched;
			if (counter == null) {
				counter = Counter.builder("gator.jobs.dispatched")
					.description("Jobs that this process dispatched, and whose transaction has committed")
					.baseUnit("jobs")
					.tag("name", this.name)
					.tag("queue", this.queue)
					.register(JobMeters.this.registry);
				this.dispatched = counter;
			}
			return counter;
		}

	}

}
