package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.gator.store.JobStore;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How far back claims of batches look after one that took longer than a statement may.
 */
class BatchReachTests extends AbstractBatchClaimsTests {

	private static final long NEWEST = 50_000_000;

	private static final double NOW = 2_000_000_000;

	@Test
	void aClaimThatIsQuickReachesFurtherThanTheOneBefore() {
		for (Class<?> job : List.of(Ten.class, ByTenant.class)) {
			afterOneThatWasBrokenOff(job, (claims) -> {
				assertThat(this.lines.dueAfter()).isEqualTo(NOW - Reach.SECONDS);
				this.store.claimNanos = 0;
				look(claims);
				assertThat(this.lines.dueAfter()).isEqualTo(NOW - 2 * Reach.SECONDS);
				look(claims);
				assertThat(this.lines.dueAfter()).isEqualTo(NOW - 4 * Reach.SECONDS);
			});
		}
	}

	@Test
	void aClaimThatIsSlowReachesNoFurther() {
		afterOneThatWasBrokenOff(Ten.class, (claims) -> {
			this.store.claimNanos = Duration.ofSeconds(9).toNanos();
			look(claims);
			assertThat(this.lines.dueAfter()).isEqualTo(NOW - Reach.SECONDS);
		});
	}

	@Test
	void aClaimFromMarksIsQuickWhateverLiesBehindThem() {
		this.store.end = NEWEST;
		afterOneThatWasBrokenOff(Ten.class, (claims) -> {
			for (int look = 0; look < 2; look++) {
				this.store.pass(Marks.LAG_NANOS);
				this.lines.moveMarks(QUEUE);
			}
			this.store.claimNanos = 0;
			this.store.pass(Duration.ofSeconds(10).toNanos());
			this.lines.woken();
			claims.claim(1, QUEUE, NONE);
			assertThat(this.store.starts).endsWith(NEWEST);
			assertThat(this.lines.dueAfter()).isEqualTo(NOW - Reach.SECONDS);
		});
	}

	private void look(BatchClaims claims) {
		this.store.pass(Duration.ofMinutes(10).toNanos());
		this.lines.woken();
		claims.claim(1, QUEUE, NONE);
	}

	private void afterOneThatWasBrokenOff(Class<?> job, Consumer<BatchClaims> test) {
		this.store.newest = new JobStore.Newest(NEWEST, NOW);
		this.store.claimNanos = Duration.ofSeconds(10).toNanos();
		this.store.failures.add(StoreExceptions.timeout());
		claim(job, (claims) -> {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> claims.claim(1, QUEUE, NONE));
			test.accept(claims);
		});
	}

}
