package io.gator.actuate;

import java.util.List;
import java.util.Map;

import io.gator.JobAdmin;
import io.gator.JobPools;
import io.gator.insight.Figures;
import io.gator.insight.Insight;
import io.gator.insight.Rate;
import io.gator.routing.Routes;
import io.gator.store.InsightStore;
import io.gator.store.QueueCount;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * What the endpoint makes of the figures.
 */
class OverviewTests {

	private final Insight insight = mock(Insight.class);

	private final InsightStore store = mock(InsightStore.class);

	private final GatorEndpoint endpoint = new GatorEndpoint(mock(JobAdmin.class), mock(JobPools.class), this.insight,
			this.store, mock(Routes.class), Map.of("mail", 3), false);

	@Test
	void aQueueDrainsAsFastAsMoreGoesThanComes() {
		assertThat(queue(100, new Rate(1, 3))).containsEntry("drainSeconds", 50.0)
			.containsEntry("inPerSecond", 1.0)
			.containsEntry("outPerSecond", 3.0)
			.containsEntry("weight", 3);
	}

	@Test
	void figuresAreRoundedToThousandths() {
		assertThat(queue(100, new Rate(1.23449, 3.23451))).containsEntry("drainSeconds", 50.0)
			.containsEntry("inPerSecond", 1.234)
			.containsEntry("outPerSecond", 3.235);
	}

	@Test
	void aQueueToWhichAsMuchComesAsGoesNeverDrains() {
		assertThat(queue(100, new Rate(3, 3))).containsEntry("drainSeconds", null);
		assertThat(queue(100, new Rate(4, 3))).containsEntry("drainSeconds", null);
	}

	@Test
	void aQueueOnWhichNothingWaitsIsDrained() {
		assertThat(queue(0, new Rate(4, 3))).containsEntry("drainSeconds", 0.0);
	}

	@Test
	void whatIsNotKnownYetIsNull() {
		QueueCount queue = QueueCount.none("low");
		given(this.insight.recent())
			.willReturn(new Figures(System.nanoTime(), List.of(queue), Map.of(), null, Double.NaN));
		Map<String, Object> overview = this.endpoint.overview();
		assertThat(overview).containsEntry("ageSeconds", null);
		assertThat(first(overview)).containsEntry("weight", null)
			.containsEntry("oldestAgeSeconds", null)
			.containsEntry("inPerSecond", 0.0)
			.containsEntry("outPerSecond", 0.0);
	}

	@Test
	void tenDeathsAreShown() {
		given(this.insight.recent()).willReturn(figures(0, Rate.NONE));
		this.endpoint.overview();
		then(this.store).should().lastDeaths(10);
	}

	private Map<String, Object> queue(long waiting, Rate rate) {
		given(this.insight.recent()).willReturn(figures(waiting, rate));
		return first(this.endpoint.overview());
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> first(Map<String, Object> overview) {
		return ((List<Map<String, Object>>) overview.get("queues")).get(0);
	}

	private static Figures figures(long waiting, Rate rate) {
		return new Figures(System.nanoTime(), List.of(new QueueCount("mail", false, waiting, 0, 0, 0, 0, null, false)),
				Map.of("mail", rate), null, Double.NaN);
	}

}
