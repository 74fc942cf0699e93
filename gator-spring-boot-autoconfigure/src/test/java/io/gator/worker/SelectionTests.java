package io.gator.worker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SelectionTests {

	private final Map<String, Integer> serving = new LinkedHashMap<>();

	private final Map<String, Integer> backlog = new HashMap<>();

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 5, 7, 20, 100 })
	void threeToOneIsFifteenToFiveInAnyTwentyWhateverTheSizeOfClaims(int size) {
		Selection selection = selection(false, "heavy", 3, "light", 1);
		fill(10_000, "heavy", "light");
		List<String> run = run(selection, size, 400);
		for (int from = 0; from + 20 <= run.size(); from++) {
			assertThat(Collections.frequency(run.subList(from, from + 20), "heavy")).isEqualTo(15);
		}
	}

	@Test
	void sharesAreSpreadAndNotGivenInBlocks() {
		Selection selection = selection(false, "a", 5, "b", 1, "c", 1);
		fill(100, "a", "b", "c");
		assertThat(run(selection, 7, 7)).isEqualTo(List.of("a", "a", "b", "a", "c", "a", "a"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 50 })
	void noQueueStarves(int size) {
		Selection selection = selection(false, "giant", 1000, "tiny", 1);
		fill(100_000, "giant", "tiny");
		List<String> run = run(selection, size, 3_003);
		assertThat(Collections.frequency(run, "tiny")).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 10 })
	void whatAQueueCannotUseGoesToTheOthersAtOnce(int size) {
		Selection selection = selection(false, "heavy", 9, "light", 1);
		fill(1_000, "light");
		assertThat(run(selection, size, 100)).hasSize(100).containsOnly("light");
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 4, 10 })
	void aQueueThatWasEmptyForLongHasNotSavedUpCredit(int size) {
		Selection selection = selection(false, "heavy", 3, "light", 1);
		fill(100_000, "light");
		run(selection, size, 1_000);
		fill(100_000, "heavy");
		List<String> run = run(selection, size, 40);
		assertThat(Collections.frequency(run, "heavy")).isBetween(29, 31);
	}

	@Test
	void aDrainedQueueLeavesTheRestInTheirShares() {
		Selection selection = selection(false, "a", 2, "b", 1, "c", 1);
		fill(4, "a");
		fill(100, "b", "c");
		List<String> run = run(selection, 20, 100);
		assertThat(Collections.frequency(run.subList(0, 8), "a")).isEqualTo(4);
		assertThat(Collections.frequency(run, "b")).isEqualTo(48);
		assertThat(Collections.frequency(run, "c")).isEqualTo(48);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 10 })
	void strictTakesTheQueuesInTheirOrder(int size) {
		Selection selection = selection(true, "b", 1, "a", 9);
		fill(30, "a", "b");
		List<String> run = run(selection, size, 60);
		assertThat(run.subList(0, 30)).containsOnly("b");
		assertThat(run.subList(30, 60)).containsOnly("a");
	}

	@Test
	void aPlanOffersEveryQueueAtLeastOneAndAsksForNoLessThanThereIsRoom() {
		Selection selection = selection(false, "a", 3, "b", 1, "c", 1);
		for (int total = 1; total < 40; total++) {
			Map<String, Integer> plan = selection.plan(Map.of("a", 3, "b", 1, "c", 1), total);
			assertThat(plan).containsOnlyKeys("a", "b", "c")
				.allSatisfy((queue, quota) -> assertThat(quota).isPositive());
			assertThat(plan.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThanOrEqualTo(total);
		}
	}

	@Test
	void theShareOfAQueueThatHadNoMoreIsAskedOfTheOthersInTheSameStatement() {
		Selection selection = selection(false, "heavy", 9, "light", 1);
		fill(1_000, "light");
		run(selection, 10, 10);
		assertThat(selection.plan(Map.of("heavy", 9, "light", 1), 10)).containsExactly(Map.entry("heavy", 9),
				Map.entry("light", 10));
	}

	@Test
	void aQueueThatHasJobsAgainHasItsWholeShareAtOnce() {
		Selection selection = selection(false, "heavy", 9, "light", 1);
		fill(1_000, "light");
		run(selection, 10, 10);
		fill(1_000, "heavy");
		assertThat(Collections.frequency(run(selection, 10, 10), "heavy")).isEqualTo(9);
		assertThat(selection.plan(Map.of("heavy", 9, "light", 1), 10))
			.containsExactlyInAnyOrderEntriesOf(Map.of("heavy", 9, "light", 1));
	}

	private Selection selection(boolean strict, Object... weights) {
		for (int i = 0; i < weights.length; i += 2) {
			this.serving.put((String) weights[i], (Integer) weights[i + 1]);
		}
		return new Selection(TestSettings.slots(10).queues(this.serving).strict(strict).get());
	}

	private void fill(int count, String... queues) {
		for (String queue : queues) {
			this.backlog.merge(queue, count, Integer::sum);
		}
	}

	/**
	 * Claim as the poller does, of the backlog, until so many have run.
	 */
	private List<String> run(Selection selection, int size, int count) {
		List<String> run = new ArrayList<>();
		while (run.size() < count) {
			Map<String, List<String>> claimed = new HashMap<>();
			Set<String> empty = new HashSet<>();
			Map<String, Integer> asking = this.serving;
			int room = size;
			while (room > 0 && !asking.isEmpty()) {
				Map<String, Integer> more = new LinkedHashMap<>();
				for (Map.Entry<String, Integer> share : selection.plan(asking, room).entrySet()) {
					String queue = share.getKey();
					int there = this.backlog.getOrDefault(queue, 0);
					int taken = Math.min(room, Math.min(share.getValue(), there));
					this.backlog.put(queue, there - taken);
					room -= taken;
					claimed.computeIfAbsent(queue, (q) -> new ArrayList<>()).addAll(Collections.nCopies(taken, queue));
					if (taken == share.getValue()) {
						more.put(queue, this.serving.get(queue));
					}
					else if (taken == there && room > 0) {
						empty.add(queue);
					}
				}
				asking = more;
			}
			List<String> ordered = selection.order(this.serving, claimed, empty);
			assertThat(ordered).hasSize(size - room);
			run.addAll(ordered);
		}
		return run;
	}

}
