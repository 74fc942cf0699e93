package io.gator.worker;

import java.time.Duration;

import io.gator.store.JobStore;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How far back a pool looks where statements are broken off.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReachTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	/** Of the ten seconds that a statement may take. */
	private static final long QUICK = 5 * SECOND / 2 - 1;

	private static final long NEWEST = 50_000_000;

	private static final double NOW = 2_000_000_000;

	private final FakeJobStore store = new FakeJobStore();

	private final Reach reach = new Reach("test", this.store);

	/** Monotonic time may begin anywhere. */
	private long now = -5 * SECOND;

	ReachTests() {
		this.store.newest = new JobStore.Newest(NEWEST, NOW);
	}

	@Test
	void aPoolLooksAmongAllJobsAsLongAsNothingIsBrokenOff() {
		walk(SECOND / 100);
		assertThat(this.reach.afterId()).isZero();
		assertThat(this.reach.afterDue()).isEqualTo(Double.NEGATIVE_INFINITY);
	}

	@Test
	void whereAStatementIsBrokenOffItLooksAmongTheLatestJobs(CapturedOutput output) {
		breakOff();
		assertLooksBack(1);
		assertThat(output).contains("Pool test looks for jobs only among the latest 1000000 for now");
	}

	@Test
	void itNeverLooksBehindTheBeginning() {
		this.store.newest = new JobStore.Newest(1000, NOW);
		breakOff();
		assertThat(this.reach.afterId()).isZero();
		assertThat(this.reach.afterDue()).isEqualTo(NOW - Reach.SECONDS);
	}

	@Test
	void itLooksTwiceAsFarBackAfterEachQuickWalkUntilItLooksAmongAllAgain(CapturedOutput output) {
		breakOff();
		walk(QUICK);
		assertLooksBack(2);
		walk(SECOND / 100);
		assertLooksBack(4);
		for (int walks = 2; walks <= 20; walks++) {
			assertThat(output).doesNotContain("among all again");
			walk(SECOND / 100);
		}
		assertThat(this.reach.afterId()).isZero();
		assertThat(this.reach.afterDue()).isEqualTo(Double.NEGATIVE_INFINITY);
		assertThat(output).contains("Pool test looks for jobs among all again");
	}

	@Test
	void itLooksNoFurtherAfterAWalkThatWasNotQuick() {
		breakOff();
		walk(QUICK + 1);
		assertLooksBack(1);
	}

	@Test
	void whatIsBrokenOffAgainIsFollowedByShorterWalks() {
		breakOff();
		walk(SECOND / 100);
		breakOff();
		assertLooksBack(0.5);
		for (int times = 0; times < 10; times++) {
			breakOff();
		}
		assertLooksBack(1.0 / 16);
	}

	@Test
	void aStatementThatSeveralJobsShareCountsOnce() {
		Elapsed first = statement(10 * SECOND);
		this.reach.brokenOff(first);
		this.reach.brokenOff(first);
		assertLooksBack(1);
		this.now += SECOND;
		Elapsed second = statement(SECOND / 100);
		this.reach.walked(second);
		this.reach.walked(second);
		assertLooksBack(2);
	}

	@Test
	void itLooksNoFurtherThanTwiceAsFarInASecond() {
		breakOff();
		walk(SECOND / 100);
		this.reach.walked(statement(SECOND / 100));
		assertLooksBack(2);
	}

	@Test
	void itLooksAmongAllWhereNobodyKnowsTheNewestJob() {
		this.store.failures.add(StoreExceptions.timeout());
		breakOff();
		assertThat(this.reach.afterId()).isZero();
		assertThat(this.reach.afterDue()).isEqualTo(Double.NEGATIVE_INFINITY);
		breakOff();
		assertLooksBack(1);
	}

	private void breakOff() {
		this.reach.brokenOff(statement(10 * SECOND));
	}

	private void walk(long nanos) {
		this.now += SECOND;
		this.reach.walked(statement(nanos));
	}

	private Elapsed statement(long nanos) {
		Elapsed elapsed = new Elapsed(this.now, this.now + nanos);
		this.now = elapsed.end();
		return elapsed;
	}

	private void assertLooksBack(double times) {
		assertThat(this.reach.afterId()).isEqualTo((long) (NEWEST - times * Reach.IDS));
		assertThat(this.reach.afterDue()).isEqualTo(NOW - times * Reach.SECONDS);
	}

}
