package io.gator.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.gator.JobInfo;
import io.gator.JobState;
import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.InsightStore;
import io.gator.store.InsightStore.PoolFacts;
import io.gator.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in words why a job is where it is. The reasons are looked for in the order in
 * which they matter: what would have to change first comes first.
 */
final class WhyNotRunning {

	private static final Logger logger = LoggerFactory.getLogger(WhyNotRunning.class);

	private final InsightStore store;

	private final Routes routes;

	WhyNotRunning(InsightStore store, Routes routes) {
		this.store = store;
		this.routes = routes;
	}

	/**
	 * Explain a job.
	 * @param job the job
	 * @return the reasons, one sentence each
	 */
	List<String> explain(JobInfo job) {
		return switch (job.state()) {
			case SUCCEEDED -> List.of("It succeeded" + at(job) + ".");
			case CANCELLED -> List.of("It was cancelled or discarded" + at(job) + ".");
			case DEAD -> List.of("It died" + at(job) + " after " + attempts(job)
					+ ", and stays so until it is retried or discarded.");
			case RUNNING -> List.of(running(job));
			case WAITING, SCHEDULED, FAILED -> waiting(job);
		};
	}

	private static String at(JobInfo job) {
		return job.finishedAt().map((time) -> " at " + time).orElse("");
	}

	private static String attempts(JobInfo job) {
		return (job.attempts() == 1) ? "1 attempt" : job.attempts() + " attempts";
	}

	private String running(JobInfo job) {
		long holder = job.workerId().orElse(-1L);
		for (PoolFacts pool : this.store.pools()) {
			if (pool.id() == holder) {
				return "It is claimed by " + pool.describe() + ", whose last beat was " + ago(pool.silence())
						+ (isGone(pool) ? "; that is longer than its lease, so another pool will take the job from it."
								: ".");
			}
		}
		return "It is claimed by a pool that is gone; another pool will take the job from it.";
	}

	private List<String> waiting(JobInfo job) {
		List<String> reasons = new ArrayList<>();
		InsightStore.QueueState queue = this.store.queue(job.queue());
		due(job, queue.now(), reasons);
		Instant paused = queue.pausedSince();
		if (paused != null) {
			reasons.add("Its queue '" + job.queue() + "' has been paused since " + paused + ".");
		}
		List<PoolFacts> pools = this.store.pools().stream().filter((pool) -> !isGone(pool)).toList();
		List<PoolFacts> able = able(job, pools, paused != null, reasons);
		if (reasons.isEmpty()) {
			inLine(job, queue.now(), able, reasons);
		}
		return reasons;
	}

	private static void due(JobInfo job, Instant now, List<String> reasons) {
		Instant due = job.dueAt().filter((time) -> time.isAfter(now)).orElse(null);
		if (due == null) {
			return;
		}
		// Due for its retry, or after a later snooze: the row does not tell which.
		String which = (job.state() == JobState.FAILED) ? "It has failed before and is" : "It is";
		reasons.add(which + " due in " + text(Duration.between(now, due)) + ", at " + due + ".");
	}

	private List<PoolFacts> able(JobInfo job, List<PoolFacts> pools, boolean paused, List<String> reasons) {
		if (pools.isEmpty()) {
			reasons.add("No pool is running anywhere.");
			return pools;
		}
		// The queues that a pool says it serves leave paused ones out.
		List<PoolFacts> serving = paused ? pools
				: pools.stream().filter((pool) -> pool.queues().contains(job.queue())).toList();
		if (serving.isEmpty()) {
			reasons.add("No pool serves the queue '" + job.queue() + "', by the last beats; " + served(pools) + ".");
		}
		List<PoolFacts> knowing = pools.stream().filter((pool) -> pool.names().contains(job.name())).toList();
		if (knowing.isEmpty()) {
			reasons.add("No pool knows a job named '" + job.name() + "'. Those that are known: " + names(pools) + ".");
		}
		List<PoolFacts> able = serving.stream().filter(knowing::contains).toList();
		if (able.isEmpty() && !serving.isEmpty() && !knowing.isEmpty()) {
			reasons.add("No pool that serves the queue '" + job.queue() + "' knows the name '" + job.name()
					+ "'; these do: " + knowing.stream().map(PoolFacts::describe).collect(Collectors.joining(", "))
					+ ".");
		}
		return able;
	}

	private static String served(List<PoolFacts> pools) {
		return pools.stream()
			.limit(5)
			.map((pool) -> pool.describe() + " serves "
					+ (pool.queues().isEmpty() ? "none" : String.join(", ", pool.queues())))
			.collect(Collectors.joining("; "));
	}

	private static String names(List<PoolFacts> pools) {
		Set<String> names = new TreeSet<>();
		pools.forEach((pool) -> names.addAll(pool.names()));
		return names.isEmpty() ? "none" : names.stream().limit(50).collect(Collectors.joining(", "));
	}

	private void inLine(JobInfo job, Instant now, List<PoolFacts> able, List<String> reasons) {
		if (able.stream().allMatch((pool) -> pool.busy() >= pool.slots())) {
			reasons.add("All slots of the pools that could run it are busy" + busyWith(able) + ".");
		}
		Route route = this.routes.find(job.name());
		BufferSpec buffered = (route != null) ? route.buffered() : null;
		if (buffered != null) {
			reasons.add(inBatch(job, now, buffered));
		}
		ahead(job, reasons);
		if (reasons.isEmpty()) {
			reasons.add("Nothing is in its way: it will be claimed with the next poll.");
		}
	}

	// Both counts walk over the dead rows at the head of a queue. While somebody holds an
	// old snapshot that may take too long, and then most of all somebody asks.
	private String busyWith(List<PoolFacts> pools) {
		Collection<Long> ids = pools.stream().map(PoolFacts::id).toList();
		Set<String> queues = new TreeSet<>();
		pools.forEach((pool) -> queues.addAll(pool.queues()));
		try {
			Map<String, Long> held = this.store.held(ids, queues);
			return held.entrySet()
				.stream()
				.map((each) -> each.getKey() + " (" + each.getValue() + ")")
				.collect(Collectors.joining(", ", held.isEmpty() ? "" : " with ", ""));
		}
		catch (StoreException ex) {
			logger.debug("What keeps the slots busy could not be counted", ex);
			return "";
		}
	}

	private void ahead(JobInfo job, List<String> reasons) {
		try {
			long ahead = this.store.ahead(job.queue(), job.id(), job.dueAt().orElse(null));
			if (ahead > 0) {
				reasons.add("About " + ((ahead == 1) ? "1 job of its queue is" : ahead + " jobs of its queue are")
						+ " ahead of it.");
			}
		}
		catch (StoreException ex) {
			logger.debug("The jobs ahead of another could not be counted", ex);
			reasons.add("How many jobs of its queue are ahead of it could not be counted.");
		}
	}

	private static String inBatch(JobInfo job, Instant now, BufferSpec buffered) {
		// Compares times, not durations: the due time may be -infinity.
		Instant longEnough = job.dueAt().orElse(job.dispatchedAt()).plus(buffered.maxWait());
		// It is not known here how many batches run, so both reasons are given.
		return (now.isBefore(longEnough) ? "It waits until its batch is full, or has waited for long enough"
				: "Its batch has waited for long enough") + "; a pool handles at most "
				+ ((buffered.maxConcurrent() == 1) ? "1 batch" : buffered.maxConcurrent() + " batches")
				+ " of this job at once (maxConcurrent).";
	}

	private static boolean isGone(PoolFacts pool) {
		return pool.silence() > pool.lease();
	}

	private static String ago(double seconds) {
		return text(Duration.ofMillis((long) (seconds * 1000))) + " ago";
	}

	static String text(Duration duration) {
		if (duration.compareTo(Duration.ofSeconds(10)) < 0) {
			return duration.toMillis() + " ms";
		}
		if (duration.compareTo(Duration.ofMinutes(2)) < 0) {
			return duration.toSeconds() + " s";
		}
		if (duration.compareTo(Duration.ofHours(2)) < 0) {
			return duration.toMinutes() + " min";
		}
		return (duration.compareTo(Duration.ofDays(2)) < 0) ? duration.toHours() + " h" : duration.toDays() + " days";
	}

}
