package io.gator.worker;

import java.time.Duration;
import java.util.List;

import io.gator.store.JobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How far back claims of batches look after one that took longer than a statement may.
 */
class BatchReachTests extends AbstractBatchClaimsTests {

	private static final long NEWEST = 50_000_000;

	private static final double NOW = 2_000_000_000;

	BatchReachTests() {
		this.store.newest = new JobStore.Newest(NEWEST, NOW);
	}

	@Test
	void aClaimThatIsQuickReachesFurtherThanTheOneBefore() {
		for (Class<?> job : List.of(Ten.class, ByTenant.class)) {
			afterOneThatWasBrokenOff((claims) -> {
				assertThat(this.lines.dueAfter()).isEqualTo(NOW - Reach.SECONDS);
				this.store.claimNanos = 0;
				look(claims);
				assertThat(this.lines.dueAfter()).isEqualTo(NOW - 2 * Reach.SECONDS);
				look(claims);
				assertThat(this.lines.dueAfter()).isEqualTo(NOW - 4 * Reach.SECONDS);
			}, job);
		}
	}

	@Test
	void aClaimThatIsSlowReachesNoFurther() {
		afterOneThatWasBrokenOff((claims) -> {
			this.store.claimNanos = Duration.ofSeconds(9).toNanos();
			look(claims);
			assertThat(this.lines.dueAfter()).isEqualTo(NOW - Reach.SECONDS);
		}, Ten.class);
	}

	@Test
	void aClaimFromMarksIsQuickWhateverLiesBehindThem() {
		this.store.end = NEWEST;
		afterOneThatWasBrokenOff((claims) -> {
			moveMarksTwice(Marks.LAG_NANOS);
			this.store.claimNanos = 0;
			this.store.pass(Duration.ofSeconds(10).toNanos());
			this.lines.woken();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).endsWith(NEWEST);
			assertThat(this.lines.dueAfter()).isEqualTo(NOW - Reach.SECONDS);
		}, Ten.class);
	}

	private void look(BatchClaims claims) {
		this.store.pass(Duration.ofMinutes(10).toNanos());
		this.lines.woken();
		claims.claim(1, QUEUE, NONE);
	}

}
