package io.gator.worker;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How far a look for batches with a key goes.
 */
class KeyWindowTests {

	private final KeyWindow window = new KeyWindow(100);

	@Test
	void aLookThatFindsNothingIsFollowedByLongerOnesAndThenByAShortOne() {
		for (int items : new int[] { 100, 400, 1600, 6400 }) {
			assertThat(this.window.items()).isEqualTo(items);
			assertThat(this.window.lookFurther()).isTrue();
		}
		assertThat(this.window.items()).isEqualTo(KeyWindow.WIDEST);
		assertThat(this.window.lookFurther()).isFalse();
		this.window.foundNothing();
		assertThat(this.window.items()).isEqualTo(100);
	}

	@Test
	void aSmallBatchThatALongerLookFoundSaysNothing() {
		for (int batch = 0; batch < 100; batch++) {
			this.window.lookFurther();
			this.window.broughtLess(1, 9);
			assertThat(this.window.items()).isEqualTo(100);
		}
	}

	@Test
	void whereALongerLookFoundAFullBatchTheNextOneIsAsLong() {
		this.window.lookFurther();
		this.window.broughtAll();
		assertThat(this.window.items()).isEqualTo(350);
	}

	@Test
	void looksThatFindNothingInBetweenDoNotEndATrial() {
		for (int batch = 0; batch < 5; batch++) {
			this.window.lookFurther();
			this.window.foundNothing();
			this.window.broughtLess(1, 1);
		}
		assertThat(this.window.items()).isEqualTo(400);
	}

	@Test
	void theShortestLookIsAllThatIsLeftOfATrial() {
		bring(1);
		this.window.reset();
		assertThat(this.window.items()).isEqualTo(100);
	}

	@Test
	void whileLongerLooksBringMoreTheyGetLonger() {
		bring(1);
		assertThat(this.window.items()).isEqualTo(400);
		bring(4);
		assertThat(this.window.items()).isEqualTo(1600);
		bring(7);
		assertThat(this.window.items()).as("not twice as many as 4").isEqualTo(400);
	}

	@Test
	void theBatchesOfOneClaimAreAsGoodATrialAsThoseOfSeveral() {
		this.window.broughtLess(5, 5);
		assertThat(this.window.items()).isEqualTo(400);
		this.window.broughtLess(10, 19);
		assertThat(this.window.items()).as("not twice as many").isEqualTo(100);
	}

	@Test
	void aSmallBatchOrALargeOneByChanceDecidesNothing() {
		for (int batch : new int[] { 1, 1, 1, 2, 1 }) {
			assertThat(this.window.items()).isEqualTo(100);
			this.window.broughtLess(1, batch);
		}
		for (int batch : new int[] { 1, 3, 3, 2, 3 }) {
			assertThat(this.window.items()).isEqualTo(400);
			this.window.broughtLess(1, batch);
		}
		assertThat(this.window.items()).isEqualTo(1600);
	}

	@Test
	void aLongerLookThatBringsHardlyMoreIsTriedSeldom() {
		int longer = 0;
		for (int claim = 0; claim < 1000; claim++) {
			longer += (this.window.items() > 100) ? 1 : 0;
			this.window.broughtLess(1, 1);
		}
		assertThat(longer).isBetween(20, 60);
	}

	@Test
	void aLookBecomesShorterByLittleWithEachFullBatchButNeverTooShort() {
		bring(1);
		this.window.broughtAll();
		assertThat(this.window.items()).isEqualTo(350);
		for (int claim = 0; claim < 100; claim++) {
			this.window.broughtAll();
		}
		assertThat(this.window.items()).isEqualTo(100);
	}

	@Test
	void aWindowThatIsWideFromTheBeginningStaysSo() {
		KeyWindow wide = new KeyWindow(2 * KeyWindow.WIDEST);
		assertThat(wide.lookFurther()).isFalse();
		assertThat(wide.items()).isEqualTo(2 * KeyWindow.WIDEST);
	}

	/** As many batches as tell something. */
	private void bring(int batch) {
		for (int i = 0; i < 5; i++) {
			this.window.broughtLess(1, batch);
		}
	}

}
