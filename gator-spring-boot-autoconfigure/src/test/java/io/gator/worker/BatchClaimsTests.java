package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What claims of batches ask for, and what they make of the answers.
 */
class BatchClaimsTests extends AbstractBatchClaimsTests {

	@Test
	void itemsOfDifferentKeysGoBackWithTheirKeysAndAreLookedForAtOnce() {
		this.store.answers.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"), item("ByTenant", 2, "{}"),
				item("ByTenant", 3, "{\"tenant\":\"b\"}"), item("ByTenant", 4, "unreadable")));
		this.store.answers.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}")));
		List<Batch> running = new ArrayList<>();
		claim(ByTenant.class, (claims) -> assertThat(claims.claim(1, QUEUE, running::addAll)).isEqualTo(2));
		assertThat(this.store.regrouped).containsExactly(new JobStore.Regrouped(1, 1, "a"),
				new JobStore.Regrouped(3, 1, "b"));
		assertThat(running).extracting(Batch::ids).containsExactly(List.of(2L, 4L), List.of(1L));
	}

	@Test
	void whereAllItemsGoBackNothingIsTaken() {
		this.store.answers
			.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"), item("ByTenant", 2, "{\"tenant\":\"b\"}")));
		List<List<Batch>> taken = new ArrayList<>();
		claim(ByTenant.class, (claims) -> assertThat(claims.claim(1, QUEUE, taken::add)).isZero());
		assertThat(this.store.starts).as("looked for at once").hasSize(2);
		assertThat(taken).isEmpty();
	}

	@Test
	void itemsThatCannotGoBackAreLookedForAsIfTheClaimHadNotBeenAnswered() {
		this.store.answers
			.add(List.of(item("ByTenant", 1, "{\"tenant\":\"a\"}"), item("ByTenant", 2, "{\"tenant\":\"b\"}")));
		this.store.regroupFailure = StoreExceptions.timeout();
		claim(ByTenant.class,
				(claims) -> assertThatExceptionOfType(IllegalStateException.class)
					.isThrownBy(() -> claims.claim(1, QUEUE, NONE))
					.withCause(this.store.regroupFailure));
	}

	@Test
	void jobsMayAllowAsManyBatchesAsThereAreSlots() {
		this.store.answers
			.add(Stream.of(items("Unlimited", 1, 10), items("UnlimitedToo", 11, 20)).flatMap(List::stream).toList());
		List<Batch> running = new ArrayList<>();
		claim(4, (claims) -> assertThat(claims.claim(1, QUEUE, running::addAll)).isEqualTo(2), Unlimited.class,
				UnlimitedToo.class);
		assertThat(running).hasSize(2);
	}

	@Test
	void aClaimBringsAsManyBatchesOfAJobAsMayRun() {
		this.store.answers.add(items("Ten", 1, 40));
		claim(4, (claims) -> {
			List<Batch> running = new ArrayList<>();
			assertThat(claims.claim(1, QUEUE, running::addAll)).isEqualTo(4);
			assertThat(this.store.batches).as("in one claim").containsExactly(4);
			assertThat(running).extracting((batch) -> batch.ids().size()).containsExactly(10, 10, 10, 10);
			assertThat(this.lines.areOpen()).as("each has a slot").isFalse();
			running.forEach(this::release);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).as("it goes on behind all of them").containsExactly(0L, 40L);
		}, Ten.class);
	}

	@Test
	void jobsShareTheBatchesOfAClaimAndWhatOneDoesNotUseIsLeftToTheOthers() {
		this.store.answers.add(items("Ten", 1, 20));
		this.store.answers.add(items("Ten", 21, 50));
		claim(5, (claims) -> {
			assertThat(claims.claim(1, QUEUE, (batches) -> assertThat(batches).isNotEmpty())).isEqualTo(5);
			assertThat(this.store.batches).containsExactly(2, 2, 3);
		}, Ten.class, Unlimited.class);
	}

	@Test
	void noMoreBatchesOfAJobAreAskedForThanItAllowsOrThanAreAThousandItems() {
		claim(10, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactly("OneByOne", "Large", "Huge");
			assertThat(this.store.batches).containsExactly(1, 2, 1);
		}, OneByOne.class, Large.class, Huge.class);
	}

	@Test
	void whereItemsHaveAKeyAsManyBatchesAreAskedForAsAreUsuallyAThousandItems() {
		this.store.answers.add(ofOneKey(1, 300, ""));
		this.store.answers.add(ofOneKey(301, 310, ""));
		this.store.answers.add(ofOneKey(311, 1_310, ""));
		claim(10, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			assertThat(this.store.batches).containsExactly(2, 3, 8, 2);
		}, LargeByTenant.class);
	}

	@Test
	void noMoreBatchesOfAKeyAreAskedForThanThereIsMemoryForIfTheyAreFull() {
		this.store.answers.add(ofOneKey(1, 10, "x".repeat(1 << 20)));
		claim(10, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			assertThat(this.store.batches).containsExactly(2, 1);
		}, LargeByTenant.class);
	}

	private static List<ClaimedJob> ofOneKey(long from, long to, String text) {
		String json = "{\"tenant\":\"a\",\"text\":\"" + text + "\"}";
		return LongStream.rangeClosed(from, to).mapToObj((id) -> item("LargeByTenant", id, json)).toList();
	}

	@Test
	void everyJobIsAskedForHoweverFewSlotsAreFree() {
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactlyInAnyOrder("Ten", "OneByOne", "ByTenant");
			assertThat(this.store.most).isOne();
		}, Ten.class, OneByOne.class, ByTenant.class);
	}

	@Test
	void itemsUnderAFormerNameOfTheirJobAreAskedFor() {
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactlyInAnyOrder("Renamed", "Former");
		}, Renamed.class);
	}

	@Test
	void theJobThatHadABatchLastStandsLast() {
		this.store.answers.add(items("Ten", 1, 10));
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			assertThat(this.store.names).containsExactly("Ten", "ByTenant");
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactly("ByTenant", "Ten");
		}, Ten.class, ByTenant.class);
	}

	@Test
	void aClaimThatFilledTheSlotsSaysNothingAboutTheJobsBehind() {
		this.store.answers.add(items("Ten", 1, 10));
		this.store.answers.add(items("OneByOne", 11, 20));
		claim(1, (claims) -> {
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			this.store.starts.clear();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).containsExactly("Ten", "OneByOne");
			assertThat(this.store.starts).containsExactly(10L, 20L);
		}, Ten.class, OneByOne.class);
	}

	@Test
	void aJobWithoutItemsDoesNotKeepABusyOneWaiting() {
		for (int first = 1; first <= 30; first += 10) {
			this.store.answers.add(items("OneByOne", first, first + 9));
		}
		claim(10, (claims) -> {
			for (int batch = 0; batch < 3; batch++) {
				List<Batch> running = new ArrayList<>();
				assertThat(claims.claim(1, QUEUE, running::addAll)).isOne();
				running.forEach(this::release);
				assertThat(this.lines.untilLook(this.store.now())).as("of the job that may have another batch")
					.isZero();
			}
			assertThat(this.store.names).as("the other one was looked for a short while ago")
				.containsExactly("OneByOne");
		}, OneByOne.class, Ten.class);
	}

	@Test
	void aBatchWhoseSlotIsReplacedLeavesThatToOthersButNotItsPlaceInItsJob() {
		this.store.answers.add(items("OneByOne", 1, 10));
		claim(1, (claims) -> {
			List<Batch> running = new ArrayList<>();
			claims.claim(1, QUEUE, running::addAll);
			assertThat(this.lines.areOpen()).isFalse();
			assertThat(this.freed).isZero();
			running.get(0).slotReplaced();
			assertThat(this.freed).as("the poller hears of the slot").isOne();
			assertThat(this.lines.untilLook(this.store.now())).as("the others are owed a look").isZero();
			this.store.answers.add(items("Ten", 11, 20));
			claims.claim(1, QUEUE, running::addAll);
			assertThat(this.store.names).containsExactly("Ten");
			release(running.get(0));
			assertThat(this.freed).as("and of the job that may have another batch").isEqualTo(2);
			assertThat(this.lines.areOpen()).as("there is one slot, and it is taken").isFalse();
			release(running.get(1));
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.names).contains("OneByOne");
			assertThat(this.store.most).isOne();
		}, OneByOne.class, Ten.class);
	}

	@Test
	void batchesThatNobodyCouldTakeAreNotCounted() {
		claim(1, (claims) -> {
			this.store.answers.add(items("OneByOne", 1, 10));
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> claims.claim(1, QUEUE, (batches) -> {
				throw new OutOfMemoryError();
			}));
			assertThat(this.lines.areOpen()).isTrue();
			this.store.answers.add(items("OneByOne", 1, 10));
			assertThat(claims.claim(1, QUEUE, (batches) -> assertThat(batches).hasSize(1))).isOne();
			assertThat(this.lines.areOpen()).isFalse();
		}, OneByOne.class);
	}

	@Test
	void batchesAreNotCountedBeforeAllOfThemAreMade() {
		for (String broken : List.of("Ten", "OneByOne")) {
			claim(2, (claims) -> {
				ClaimedJob unfit = TestClaimedJob.of(11, broken).args(null).get();
				this.store.answers.add(List.of(item(broken.equals("Ten") ? "OneByOne" : "Ten", 1, "1"), unfit));
				assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
				claims.claim(1, QUEUE, NONE);
				assertThat(this.store.names).containsExactlyInAnyOrder("Ten", "OneByOne");
				assertThat(this.store.most).as("free slots").isEqualTo(2);
			}, Ten.class, OneByOne.class);
		}
	}

	@Test
	void jobsBeforeTheOneThatHadTheLastSlotAreKnownToHaveNothing() {
		for (int first = 1; first <= 30; first += 10) {
			this.store.answers.add(items("OneByOne", first, first + 9));
		}
		claim(1, (claims) -> {
			for (int batch = 0; batch < 3; batch++) {
				assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isOne();
			}
			assertThat(this.store.names).containsExactly("OneByOne");
		}, OneByOne.class, Ten.class, ByTenant.class);
	}

}
