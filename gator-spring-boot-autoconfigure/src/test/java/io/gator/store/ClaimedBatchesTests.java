package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which items of a claim are one batch.
 */
class ClaimedBatchesTests {

	private static final int SIZE = 3;

	private final ClaimedBatches batches = new ClaimedBatches(new BatchRequest(1, List.of("default"),
			Double.NEGATIVE_INFINITY,
			List.of(buffered(false, "Mail", "OldMail"), buffered(true, "ByTenant"), buffered(false, "Export")), 10));

	private static BatchRequest.Buffered buffered(boolean keyed, String... names) {
		return new BatchRequest.Buffered(Set.of(names), SIZE, 10, Duration.ofSeconds(1), 100, keyed, List.of(0L));
	}

	@Test
	void theOldestItemsAreTheFirstBatchHoweverTheyCome() {
		add(5, "Mail", 50);
		add(2, "Mail", 20);
		add(4, "Mail", 40);
		add(1, "Mail", 10);
		add(3, "Mail", 30);
		assertThat(ids()).containsExactly(List.of(1L, 2L, 3L), List.of(4L, 5L));
	}

	@Test
	void theFirstBatchIsThatOfTheOldestItemWhateverItsJob() {
		add(1, "Mail", 20);
		add(2, "Export", 10);
		add(3, "Mail", 30);
		assertThat(ids()).containsExactly(List.of(2L), List.of(1L, 3L));
	}

	@Test
	void itemsOfOneMomentAreInTheOrderOfTheirIds() {
		for (long id = 4; id > 0; id--) {
			add(id, "Mail", 10);
		}
		assertThat(ids()).containsExactly(List.of(1L, 2L, 3L), List.of(4L));
	}

	@Test
	void anItemThatWasDelayedHasWaitedSinceItWasDue() {
		this.batches.add(job(1, "Mail", 10, 50), null, null);
		add(2, "Mail", 20);
		add(3, "Mail", 30);
		add(4, "Mail", 40);
		assertThat(ids()).containsExactly(List.of(2L, 3L, 4L), List.of(1L));
	}

	@Test
	void itemsUnderAnotherNameOfAJobAreOfTheSameBatchAndThoseOfAnotherJobAreNot() {
		add(1, "Mail", 10);
		add(2, "Export", 20);
		add(3, "OldMail", 30);
		assertThat(ids()).containsExactly(List.of(1L, 3L), List.of(2L));
	}

	@Test
	void itemsWithDifferentKeysAreOfDifferentBatches() {
		add(1, "ByTenant", "a", null);
		add(2, "ByTenant", "b", null);
		add(3, "ByTenant", "a", null);
		add(4, "ByTenant", null, null);
		assertThat(ids()).containsExactly(List.of(1L, 3L), List.of(2L), List.of(4L));
	}

	@Test
	void keysFromWhenTheJobHadOneKeepNothingApart() {
		add(1, "Mail", "a", null);
		add(2, "Mail", "b", null);
		assertThat(ids()).containsExactly(List.of(1L, 2L));
	}

	@ParameterizedTest
	@CsvSource({ "-1, 1", "0, 1", "1, 1", "2, 2", "3, 3", "4, 3" })
	void aLimitMakesBatchesSmallerButNeverEmptyAndNeverLarger(int limit, int size) {
		for (long id = 1; id <= 2 * SIZE; id++) {
			add(id, "Mail", null, limit);
		}
		assertThat(ids()).hasSize(2 * SIZE / size).allSatisfy((batch) -> assertThat(batch).hasSize(size));
	}

	@Test
	void itemsWithALimitAreKeptFromThoseWithAnotherOne() {
		add(1, "Mail", null, 2);
		add(2, "Mail", null, null);
		add(3, "Mail", null, 2);
		assertThat(ids()).containsExactly(List.of(1L, 3L), List.of(2L));
	}

	private void add(long id, String name, double createdAt) {
		this.batches.add(job(id, name, createdAt, Double.NaN), null, null);
	}

	private void add(long id, String name, @Nullable String key, @Nullable Integer limit) {
		this.batches.add(job(id, name, id, Double.NaN), key, limit);
	}

	private static ClaimedJob job(long id, String name, double createdAt, double dueAt) {
		return new ClaimedJob(id, "default", name, "[]", 1, 1, createdAt, dueAt, 100, false, false, null);
	}

	private List<List<Long>> ids() {
		return this.batches.toList().stream().map((batch) -> batch.stream().map(ClaimedJob::id).toList()).toList();
	}

}
