package io.gator.worker;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PoolSettingsTests {

	@Test
	void theStarStandsForAllThatIsNotNamed() {
		assertThat(settings(Map.of("critical", 6, "*", 2))
			.serving(Map.of("default", false, "critical", false, "low", false)))
			.isEqualTo(Map.of("critical", 6, "default", 2, "low", 2));
	}

	@Test
	void aNamedQueueIsServedBeforeAnybodyHasHeardOfIt() {
		assertThat(settings(Map.of("critical", 6)).serving(Map.of())).containsOnlyKeys("critical");
	}

	@Test
	void noQueuesGivenMeansAllKnownWithEqualWeights() {
		assertThat(settings(Map.of()).serving(Map.of("b", false, "a", false))).isEqualTo(Map.of("a", 1, "b", 1));
	}

	@Test
	void pausedQueuesAreLeftOut() {
		Map<String, Boolean> known = Map.of("a", false, "b", true, "c", false);
		assertThat(settings(Map.of("a", 1, "b", 1)).serving(known)).containsOnlyKeys("a");
		assertThat(settings(Map.of("a", 1, "*", 1)).serving(known)).containsOnlyKeys("a", "c");
		assertThat(settings(Map.of()).serving(known)).containsOnlyKeys("a", "c");
	}

	private static PoolSettings settings(Map<String, Integer> queues) {
		return TestSettings.slots(10).queues(queues).get();
	}

}
