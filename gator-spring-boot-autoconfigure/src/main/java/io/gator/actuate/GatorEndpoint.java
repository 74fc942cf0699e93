package io.gator.actuate;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.gator.JobAdmin;
import io.gator.JobInfo;
import io.gator.JobPools;
import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.RecurringInfo;
import io.gator.insight.Figures;
import io.gator.insight.Insight;
import io.gator.insight.Rate;
import io.gator.routing.Routes;
import io.gator.store.InsightStore;
import io.gator.store.QueueCount;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * What the queues do, and what can be done about it.
 *
 * <pre>
 * GET  /actuator/gator                                       queues, workers, recurring jobs, latest deaths
 * GET  /actuator/gator/{id}                                  one job, and why it is not running
 * GET  /actuator/gator/{state}?queue=&amp;name=&amp;after=&amp;limit=    a page of jobs: dead, waiting, failed …
 * POST /actuator/gator/{id}              {"action": "retry | discard | cancel"}
 * POST /actuator/gator/{id}              {"action": "reschedule", "at": "2030-01-31T09:00:00Z"}
 * POST /actuator/gator/dead              {"action": "retry | discard", "queue": …, "name": …, "all": true}
 * POST /actuator/gator/queues/{queue}    {"action": "pause | resume"}
 * POST /actuator/gator/pools/{pool}      {"action": "resize", "concurrency": 20}
 * </pre>
 *
 * Retrying and discarding dead jobs needs a queue, a name or {@code all}, because unknown
 * fields of a request are ignored and a mistyped filter would find everything.
 * <p>
 * Reading is open to whoever may see the endpoint; writing needs
 * {@code management.endpoint.gator.access=unrestricted}.
 */
@Endpoint(id = "gator", defaultAccess = Access.READ_ONLY)
public final class GatorEndpoint {

	private static final int DEATHS = 10;

	private static final int PAGE = 100;

	private final JobAdmin admin;

	private final JobPools pools;

	private final Insight insight;

	private final InsightStore store;

	private final WhyNotRunning why;

	private final Map<String, Integer> weights;

	private final boolean showArguments;

	/**
	 * Create an endpoint.
	 * @param admin looks at jobs and acts on them
	 * @param pools the pools of this process
	 * @param insight what is known of the whole
	 * @param store answers the rest
	 * @param routes the jobs of this application
	 * @param weights the weights of queues in this process
	 * @param showArguments whether the arguments of jobs are shown
	 */
	public GatorEndpoint(JobAdmin admin, JobPools pools, Insight insight, InsightStore store, Routes routes,
			Map<String, Integer> weights, boolean showArguments) {
		this.admin = admin;
		this.pools = pools;
		this.insight = insight;
		this.store = store;
		this.why = new WhyNotRunning(store, routes);
		this.weights = Map.copyOf(weights);
		this.showArguments = showArguments;
	}

	/**
	 * Show everything at a glance.
	 * @return queues, workers, recurring jobs, and the latest deaths among the 1,000 dead
	 * jobs dispatched last
	 */
	@ReadOperation
	public Map<String, Object> overview() {
		Figures figures = this.insight.recent();
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("ageSeconds", figures.isKnown() ? rounded(figures.ageSeconds()) : null);
		body.put("queues", figures.queues().stream().map((queue) -> queue(queue, figures)).toList());
		body.put("workers", this.store.pools().stream().map(GatorEndpoint::worker).toList());
		body.put("recurring", this.admin.recurring().stream().map(GatorEndpoint::recurring).toList());
		body.put("dead", this.store.lastDeaths(DEATHS).stream().map(GatorEndpoint::death).toList());
		return body;
	}

	private Map<String, Object> queue(QueueCount queue, Figures figures) {
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("name", queue.queue());
		body.put("paused", queue.paused());
		body.put("weight", this.weights.get(queue.queue()));
		body.put("waiting", queue.waiting());
		body.put("scheduled", queue.scheduled());
		body.put("running", queue.running());
		body.put("failed", queue.failed());
		body.put("dead", queue.dead());
		body.put("estimated", queue.estimated());
		body.put("oldestAgeSeconds", (queue.oldestSeconds() != null) ? rounded(queue.oldestSeconds()) : null);
		Rate rate = figures.rate(queue.queue());
		body.put("inPerSecond", rounded(rate.in()));
		body.put("outPerSecond", rounded(rate.out()));
		body.put("drainSeconds", drain(queue, rate));
		return body;
	}

	/**
	 * How long it takes until nothing waits, if things go on as they do.
	 * @return seconds, or {@code null} if more comes than goes
	 */
	private static @Nullable Double drain(QueueCount queue, Rate rate) {
		if (queue.waiting() == 0) {
			return 0.0;
		}
		double net = rate.out() - rate.in();
		return (net > 0) ? rounded(queue.waiting() / net) : null;
	}

	private static Map<String, Object> worker(InsightStore.PoolFacts pool) {
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("id", pool.id());
		body.put("pool", pool.pool());
		body.put("host", pool.host());
		body.put("pid", pool.pid());
		body.put("startedAt", pool.startedAt());
		body.put("lastBeatSeconds", rounded(pool.silence()));
		body.put("queues", pool.queues());
		body.put("slots", pool.slots());
		body.put("busy", pool.busy());
		return body;
	}

	private static Map<String, Object> recurring(RecurringInfo recurring) {
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("name", recurring.name());
		body.put("schedule", recurring.schedule());
		body.put("lastTick", recurring.last());
		body.put("nextTick", recurring.next());
		return body;
	}

	private static Map<String, Object> death(InsightStore.Death death) {
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("id", death.id());
		body.put("name", death.name());
		body.put("queue", death.queue());
		body.put("attempts", death.attempts());
		body.put("diedAt", death.diedAt());
		body.put("error", death.error());
		return body;
	}

	private static double rounded(double value) {
		return Math.round(value * 1000) / 1000.0;
	}

	/**
	 * Show one job, or a page of jobs in a state.
	 * @param target the id of a job, or a state
	 * @param queue only this queue
	 * @param name only this job
	 * @param after only jobs with a greater id
	 * @param limit the most jobs of a page
	 * @return the job or the page; {@code null} if there is no such job
	 */
	@ReadOperation
	public @Nullable Map<String, Object> look(@Selector String target, @Nullable String queue, @Nullable String name,
			@Nullable Long after, @Nullable Integer limit) {
		Long id = id(target);
		if (id != null) {
			return this.admin.find(id).map(this::life).orElse(null);
		}
		JobState state = state(target);
		JobQuery query = query(state, queue, name, after, limit);
		List<JobInfo> page = this.admin.list(query);
		Map<String, Object> body = new LinkedHashMap<>();
		List<Map<String, Object>> jobs = new ArrayList<>();
		page.forEach((job) -> jobs.add(job(job, false)));
		body.put("jobs", jobs);
		body.put("next", (page.size() == query.limit()) ? page.get(page.size() - 1).id() : null);
		return body;
	}

	private static JobQuery query(JobState state, @Nullable String queue, @Nullable String name, @Nullable Long after,
			@Nullable Integer limit) {
		return orRefuse(() -> new JobQuery(state, queue, name, Objects.requireNonNullElse(after, 0L),
				Objects.requireNonNullElse(limit, PAGE)));
	}

	private Map<String, Object> life(JobInfo job) {
		Map<String, Object> body = job(job, true);
		body.put("why", this.why.explain(job));
		return body;
	}

	private Map<String, Object> job(JobInfo job, boolean whole) {
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("id", job.id());
		body.put("name", job.name());
		body.put("queue", job.queue());
		body.put("state", job.state().name());
		body.put("attempts", job.attempts());
		body.put("dispatchedAt", job.dispatchedAt());
		job.dueAt().ifPresent((time) -> body.put("dueAt", time));
		job.claimedAt().ifPresent((time) -> body.put("claimedAt", time));
		job.workerId().ifPresent((worker) -> body.put("workerId", worker));
		job.lastExecutedAt().ifPresent((time) -> body.put("lastExecutedAt", time));
		job.finishedAt().ifPresent((time) -> body.put("finishedAt", time));
		job.uniqueKey().ifPresent((key) -> body.put("uniqueKey", key));
		if (!job.chain().isEmpty()) {
			body.put("chain", job.chain());
		}
		job.error().ifPresent((error) -> body.put("error", whole ? error : error.lines().findFirst().orElse("")));
		if (whole && this.showArguments) {
			job.args().ifPresent((args) -> body.put("arguments", args));
		}
		return body;
	}

	/**
	 * Act on one job, or on all dead jobs that a filter finds.
	 * @param target the id of a job, or {@code dead}
	 * @param action what to do
	 * @param queue only this queue
	 * @param name only this job
	 * @param all whether all dead jobs are meant, where there is no filter
	 * @param at when a job that is rescheduled is to be due
	 * @return what was found
	 */
	@WriteOperation
	public Map<String, Object> act(@Selector String target, String action, @Nullable String queue,
			@Nullable String name, @Nullable Boolean all, @Nullable OffsetDateTime at) {
		Long id = id(target);
		if (id != null) {
			boolean found = switch (action) {
				case "retry" -> this.admin.retry(id);
				case "discard" -> this.admin.discard(id);
				case "cancel" -> this.admin.cancel(id);
				case "reschedule" -> reschedule(id, at);
				default -> throw refused(
						"'" + action + "' is not an action on a job; use retry, reschedule, discard or cancel");
			};
			return Map.of("id", id, "action", action, "found", found);
		}
		if (state(target) != JobState.DEAD) {
			throw refused("Only dead jobs can be acted on by filter, not " + target + " ones");
		}
		long count = switch (action) {
			case "retry" -> this.admin.retryAll(dead(action, queue, name, all));
			case "discard" -> this.admin.discardAll(dead(action, queue, name, all));
			default -> throw refused("'" + action + "' is not an action on dead jobs; use retry or discard");
		};
		return Map.of("action", action, "count", count);
	}

	private boolean reschedule(long id, @Nullable OffsetDateTime at) {
		if (at == null) {
			// Not now: an operation does not see a field that is mistyped.
			throw refused("To reschedule a job give the time, \"at\": \"2030-01-31T09:00:00Z\"");
		}
		return orRefuse(() -> this.admin.reschedule(id, at.toInstant()));
	}

	private static JobQuery dead(String action, @Nullable String queue, @Nullable String name, @Nullable Boolean all) {
		if (queue == null && name == null && !Boolean.TRUE.equals(all)) {
			throw refused("To " + action + " dead jobs give a queue or a name, or \"all\": true");
		}
		return query(JobState.DEAD, queue, name, null, null);
	}

	/**
	 * Act on a queue, in the whole cluster, or on a pool of this process.
	 * @param kind {@code queues} or {@code pools}
	 * @param name the queue or the pool
	 * @param action what to do
	 * @param concurrency how many jobs a pool that is resized is to run at once
	 * @return what was done
	 */
	@WriteOperation
	public Map<String, Object> steer(@Selector String kind, @Selector String name, String action,
			@Nullable Integer concurrency) {
		return orRefuse(() -> switch (kind) {
			case "queues" -> steerQueue(name, action);
			case "pools" -> steerPool(name, action, concurrency);
			default -> throw refused("'" + kind + "' is not known here; use queues/{queue} or pools/{pool}");
		});
	}

	private Map<String, Object> steerQueue(String queue, String action) {
		switch (action) {
			case "pause" -> this.admin.pause(queue);
			case "resume" -> this.admin.resume(queue);
			default -> throw refused("'" + action + "' is not an action on a queue; use pause or resume");
		}
		return Map.of("queue", queue, "action", action);
	}

	private Map<String, Object> steerPool(String pool, String action, @Nullable Integer concurrency) {
		if (!action.equals("resize")) {
			throw refused("'" + action + "' is not an action on a pool; use resize");
		}
		if (concurrency == null) {
			throw refused("To resize a pool give the number of its slots, \"concurrency\": 20");
		}
		this.pools.resize(pool, concurrency);
		return Map.of("pool", pool, "action", action, "concurrency", concurrency);
	}

	private static @Nullable Long id(String target) {
		try {
			return Long.valueOf(target);
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	private static JobState state(String target) {
		try {
			return JobState.valueOf(target.toUpperCase(Locale.ROOT));
		}
		catch (IllegalArgumentException ex) {
			throw refused("'" + target + "' is neither the id of a job nor a state");
		}
	}

	private static <T> T orRefuse(Supplier<T> operation) {
		try {
			return operation.get();
		}
		catch (IllegalArgumentException ex) {
			throw refused(ex.getMessage());
		}
	}

	private static InvalidEndpointRequestException refused(@Nullable String reason) {
		return new InvalidEndpointRequestException("Refused: " + reason, String.valueOf(reason));
	}

}
