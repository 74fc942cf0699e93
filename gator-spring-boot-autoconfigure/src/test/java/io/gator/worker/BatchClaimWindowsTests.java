package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How far claims of batches look, and for how many items.
 */
class BatchClaimWindowsTests extends AbstractBatchClaimsTests {

	@Test
	void behindItemsThatOthersAreTakingItIsLookedAgainSoonAndFurther() {
		this.store.ready = Set.of("Ten");
		claim(2, (claims) -> {
			this.lines.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.window).as("two batches").isEqualTo(20);
			assertThat(this.lines.untilLook(this.store.now())).isLessThan(BatchLine.PAUSE_NANOS);
			this.store.pass(this.lines.untilLook(this.store.now()));
			this.store.ready = Set.of();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.window).isEqualTo(80);
			assertIsNotOwed("nothing is left");
		}, Ten.class);
	}

	@Test
	void aFullBatchIsFollowedByALookForOneMore() {
		this.store.answers.add(items("Ten", 1, 5));
		this.store.answers.add(items("Ten", 6, 15));
		this.store.answers.add(items("Ten", 16, 20));
		List<Integer> windows = new ArrayList<>();
		claim(1, (claims) -> {
			for (int batch = 0; batch < 3; batch++) {
				assertThat(claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release))).isOne();
				windows.add(this.store.window);
			}
		}, Ten.class);
		assertThat(windows).containsExactly(10, 40, 10);
	}

	@Test
	void anAnswerThatDoesNotFitIntoMemoryIsFollowedByClaimsOfFewerItems() {
		this.store.failures.add(StoreExceptions.outOfMemory());
		this.store.answers.add(items("Ten", 1, 10));
		this.store.answers.add(items("Ten", 11, 30));
		this.store.answers.add(items("Ten", 31, 36));
		claim(Ten.class, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			claims.claim(1, QUEUE, (batches) -> assertThat(batches).isNotEmpty());
			assertThat(this.store.batches).as("the last batch was not full").containsExactly(10, 1, 2, 4, 4);
			assertThat(this.store.sizes).containsOnly(10);
		});
	}

	@Test
	void behindTheItemsOfOtherKeysItIsLookedEverFurtherAtOnce() {
		this.store.fullWindows = Set.of(100, 400);
		claim(ByTenant.class, (claims) -> {
			this.lines.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.windows).containsExactly(100, 400, 1600);
			assertIsNotOwed("nothing is ready");
			this.store.pass(BatchLine.PAUSE_NANOS);
			this.lines.woken();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.windows.get(3)).isEqualTo(100);
		});
	}

	@Test
	void aLookBehindTheItemsOfOtherKeysHasAnEnd() {
		this.store.fullWindows = Set.of(100, 400, 1600, 6400, KeyWindow.WIDEST);
		claim(ByTenant.class, (claims) -> {
			this.lines.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.windows).containsExactly(100, 400, 1600, 6400, KeyWindow.WIDEST);
		});
	}

	@Test
	void withoutAKeyNothingLiesBehindOtherItems() {
		this.store.fullWindows = Set.of(100, 400);
		claim(Ten.class, (claims) -> {
			this.lines.woken();
			assertThat(claims.claim(1, QUEUE, NONE)).isZero();
			assertThat(this.store.windows).containsExactly(100);
		});
	}

	@Test
	void batchesWithAKeyThatAreSmallAreFollowedByLongerLooks() {
		for (int batch = 1; batch <= 6; batch++) {
			this.store.answers.add(items("ByTenant", 10 * batch, 10 * batch + 1));
		}
		this.store.answers.add(items("ByTenant", 101, 110));
		this.store.answers.add(items("ByTenant", 111, 120));
		claim(1, (claims) -> {
			while (!this.store.answers.isEmpty()) {
				claims.claim(1, QUEUE, (batches) -> batches.forEach(this::release));
			}
			assertThat(this.store.windows).containsExactly(100, 100, 100, 100, 100, 400, 400, 350);
			this.store.failures.add(StoreExceptions.timeout());
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			this.store.pass(BatchLine.PAUSE_NANOS);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.windows.get(9)).as("that of the claim after one that took too long").isEqualTo(100);
		}, ByTenant.class);
	}

	@Test
	void smallerBatchesOfAKeyAreFoundBehindAsManyItemsOfOtherKeysAsFullOnes() {
		this.store.failures.add(StoreExceptions.outOfMemory());
		claim(ByTenant.class, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			assertThat(this.store.window).isEqualTo(100);
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.sizes).containsExactly(10, 2);
			assertThat(this.store.window).isEqualTo(100);
		});
	}

}
