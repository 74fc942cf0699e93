package io.gator.metrics;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.gator.insight.Figures;
import io.gator.insight.Insight;
import io.gator.store.QueueCount;
import io.gator.store.TableFacts;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Which of the figures each meter shows.
 */
class InsightMetersTests {

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final Insight insight = mock(Insight.class);

	private Consumer<Figures> meters;

	@BeforeEach
	@SuppressWarnings("unchecked")
	void create() {
		new InsightMeters(this.registry, this.insight, new BoundedNames(2, List.of("mail")));
		ArgumentCaptor<Consumer<Figures>> listener = ArgumentCaptor.forClass(Consumer.class);
		then(this.insight).should().onRefresh(listener.capture());
		this.meters = listener.getValue();
	}

	@Test
	void eachStateOfAQueueHasItsGauge() {
		refresh(null, new QueueCount("mail", false, 1, 2, 3, 4, 5, 6.5, true));
		assertThat(jobs("mail", "waiting")).isEqualTo(1);
		assertThat(jobs("mail", "scheduled")).isEqualTo(2);
		assertThat(jobs("mail", "running")).isEqualTo(3);
		assertThat(jobs("mail", "failed")).isEqualTo(4);
		assertThat(jobs("mail", "dead")).isEqualTo(5);
		assertThat(queue("gator.queue.oldest.age", "mail")).isEqualTo(6.5);
		assertThat(queue("gator.queue.estimated", "mail")).isOne();
	}

	@Test
	void queuesBeyondTheLimitAreOneWithTheJobsOfAllAndTheAgeOfTheOldest() {
		refresh(null, new QueueCount("first", false, 1, 2, 3, 4, 5, 60.0, true),
				new QueueCount("beyond", false, 10, 20, 30, 40, 50, 7.0, false),
				new QueueCount("further", false, 100, 200, 300, 400, 500, 8.0, false),
				new QueueCount("empty", false, 0, 0, 0, 0, 0, null, false));
		assertThat(jobs("first", "waiting")).isOne();
		assertThat(jobs("other", "waiting")).isEqualTo(110);
		assertThat(jobs("other", "scheduled")).isEqualTo(220);
		assertThat(jobs("other", "running")).isEqualTo(330);
		assertThat(jobs("other", "failed")).isEqualTo(440);
		assertThat(jobs("other", "dead")).isEqualTo(550);
		assertThat(queue("gator.queue.oldest.age", "other")).isEqualTo(8);
		assertThat(queue("gator.queue.estimated", "other")).isZero();
	}

	@Test
	void figuresOfARefreshReplaceTheFormerOnes() {
		refresh(null, new QueueCount("mail", false, 1, 2, 3, 4, 5, 6.5, true), QueueCount.none("gone"));
		Gauge gone = this.registry.get("gator.queue.jobs").tag("queue", "gone").tag("state", "dead").gauge();
		refresh(null, QueueCount.none("mail"));
		assertThat(jobs("mail", "waiting")).isZero();
		assertThat(queue("gator.queue.oldest.age", "mail")).isZero();
		assertThat(queue("gator.queue.estimated", "mail")).isZero();
		assertThat(this.registry.find("gator.queue.jobs").tag("queue", "gone").gauges()).isEmpty();
		assertThat(gone.value()).as("for whoever still reads it").isZero();
	}

	/** One that is registered anew may be in a scrape twice, which fails the scrape. */
	@Test
	void aRefreshKeepsTheGaugesOfAQueue() {
		refresh(null, new QueueCount("mail", false, 1, 2, 3, 4, 5, 6.5, true));
		List<Meter> before = this.registry.getMeters();
		refresh(null, new QueueCount("mail", false, 2, 3, 4, 5, 6, 7.5, false));
		assertThat(this.registry.getMeters()).usingElementComparator((one, other) -> (one == other) ? 0 : 1)
			.containsExactlyInAnyOrderElementsOf(before);
		assertThat(jobs("mail", "dead")).isEqualTo(6);
		assertThat(queue("gator.queue.oldest.age", "mail")).isEqualTo(7.5);
	}

	@Test
	void theFiguresOfTheTableAreShown() {
		refresh(new TableFacts(1, 2, 3, 10, 8, 4.0, 5, 0.25));
		assertThat(table("live.rows")).isEqualTo(1);
		assertThat(table("dead.rows")).isEqualTo(2);
		assertThat(table("size")).isEqualTo(3);
		assertThat(table("autovacuum.age")).isEqualTo(4);
		assertThat(table("oldest.snapshot")).isEqualTo(5);
		assertThat(table("hot")).isEqualTo(0.8);
		assertThat(gauge("gator.notifications.queue.usage")).isEqualTo(0.25);
	}

	@Test
	void whatIsNotKnownOfTheTableIsNoNumberButTheAgeOfTheFiguresIs() {
		refresh(null);
		assertThat(table("live.rows")).isNaN();
		assertThat(gauge("gator.insight.age")).isBetween(0.0, 60.0);
		refresh(new TableFacts(1, 2, 3, 10, 8, null, 5, 0.25));
		assertThat(table("autovacuum.age")).isNaN();
		assertThat(gauge("gator.insight.age")).isGreaterThanOrEqualTo(3_600);
	}

	private void refresh(@Nullable TableFacts table, QueueCount... queues) {
		Figures figures = new Figures(System.nanoTime() - 3_600_000_000_000L, List.of(queues), Map.of(), table, 0.8);
		given(this.insight.figures()).willReturn(figures);
		this.meters.accept(figures);
	}

	private double jobs(String queue, String state) {
		return this.registry.get("gator.queue.jobs").tag("queue", queue).tag("state", state).gauge().value();
	}

	private double queue(String meter, String queue) {
		return this.registry.get(meter).tag("queue", queue).gauge().value();
	}

	private double table(String meter) {
		return gauge("gator.table." + meter);
	}

	private double gauge(String meter) {
		return this.registry.get(meter).gauge().value();
	}

}
