package io.gator.metrics;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

import io.gator.insight.Figures;
import io.gator.insight.Insight;
import io.gator.store.QueueCount;
import io.gator.store.TableFacts;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;

/**
 * Shows what is in the tables. A scrape reads memory only. Values are those of the whole
 * cluster, the same in every process.
 */
public final class InsightMeters {

	private final BoundedNames queues;

	private final MultiGauge jobs;

	private final MultiGauge oldest;

	private final MultiGauge estimated;

	private volatile Map<String, QueueCount> counts = Map.of();

	/**
	 * Create the meters.
	 * @param registry where they are
	 * @param insight what is known
	 * @param queues the queues
	 */
	public InsightMeters(MeterRegistry registry, Insight insight, BoundedNames queues) {
		this.queues = queues;
		this.jobs = MultiGauge.builder("gator.queue.jobs")
			.description("Jobs on a queue by their state, in the whole cluster")
			.baseUnit("jobs")
			.register(registry);
		this.oldest = MultiGauge.builder("gator.queue.oldest.age")
			.description("How long the oldest job that is due has waited, 0 if none is due")
			.baseUnit("seconds")
			.register(registry);
		this.estimated = MultiGauge.builder("gator.queue.estimated")
			.description(
					"1 if there are more jobs on a queue than are counted, so that gator.queue.jobs is an estimate")
			.register(registry);
		long began = System.nanoTime();
		Gauge.builder("gator.insight.age", insight, (each) -> age(each.figures(), began))
			.description("How old the figures about queues and the table are; since the start while there are none")
			.baseUnit("seconds")
			.register(registry);
		table(registry, insight);
		insight.onRefresh(this::update);
	}

	private static double age(Figures figures, long began) {
		return figures.isKnown() ? figures.ageSeconds() : (System.nanoTime() - began) / 1e9;
	}

	private static void table(MeterRegistry registry, Insight insight) {
		gauge(registry, insight, "gator.table.live.rows", "rows", "Rows of the table of live jobs, an estimate",
				TableFacts::liveRows);
		gauge(registry, insight, "gator.table.dead.rows", "rows", "Rows that vacuum has to remove, an estimate",
				TableFacts::deadRows);
		gauge(registry, insight, "gator.table.size", "bytes", "The table of live jobs and its indexes",
				TableFacts::bytes);
		gauge(registry, insight, "gator.table.autovacuum.age", "seconds",
				"How long ago the last autovacuum ended, NaN if there was none",
				(table) -> Objects.requireNonNullElse(table.sinceAutovacuum(), Double.NaN));
		gauge(registry, insight, "gator.table.oldest.snapshot", "seconds",
				"The age of the oldest snapshot that keeps dead rows in the table", TableFacts::oldestSnapshot);
		gauge(registry, insight, "gator.notifications.queue.usage", "ratio",
				"The share of the server's notification queue that is in use", TableFacts::notificationQueue);
		Gauge.builder("gator.table.hot", insight, (each) -> each.figures().hotShare())
			.description("The share of updates that touched no index; near 1 as long as pages have room")
			.baseUnit("ratio")
			.register(registry);
	}

	private static void gauge(MeterRegistry registry, Insight insight, String name, String unit, String description,
			ToDoubleFunction<TableFacts> value) {
		Gauge.builder(name, insight, (each) -> {
			TableFacts table = each.figures().table();
			return (table != null) ? value.applyAsDouble(table) : Double.NaN;
		}).description(description).baseUnit(unit).register(registry);
	}

	private void update(Figures figures) {
		Map<String, QueueCount> bounded = new LinkedHashMap<>();
		for (QueueCount count : figures.queues()) {
			String label = this.queues.of(count.queue());
			bounded.merge(label, QueueCount.none(label).plus(count), QueueCount::plus);
		}
		this.counts = bounded;
		List<MultiGauge.Row<?>> jobs = new ArrayList<>();
		List<MultiGauge.Row<?>> oldest = new ArrayList<>();
		List<MultiGauge.Row<?>> estimated = new ArrayList<>();
		for (String queue : bounded.keySet()) {
			jobs.add(row(queue, "waiting", QueueCount::waiting));
			jobs.add(row(queue, "scheduled", QueueCount::scheduled));
			jobs.add(row(queue, "running", QueueCount::running));
			jobs.add(row(queue, "failed", QueueCount::failed));
			jobs.add(row(queue, "dead", QueueCount::dead));
			Tags tags = Tags.of("queue", queue);
			oldest.add(row(tags, queue, (count) -> Objects.requireNonNullElse(count.oldestSeconds(), 0.0)));
			estimated.add(row(tags, queue, (count) -> count.estimated() ? 1 : 0));
		}
		// A gauge stays as long as its queue is known: one that is removed and registered
		// again may be seen twice by a scrape of Prometheus, which then fails as a whole.
		this.jobs.register(jobs);
		this.oldest.register(oldest);
		this.estimated.register(estimated);
	}

	private MultiGauge.Row<?> row(String queue, String state, ToDoubleFunction<QueueCount> value) {
		return row(Tags.of("queue", queue, "state", state), queue, value);
	}

	private MultiGauge.Row<?> row(Tags tags, String queue, ToDoubleFunction<QueueCount> value) {
		return MultiGauge.Row.of(tags, this,
				(meters) -> value.applyAsDouble(meters.counts.getOrDefault(queue, QueueCount.none(queue))));
	}

}
