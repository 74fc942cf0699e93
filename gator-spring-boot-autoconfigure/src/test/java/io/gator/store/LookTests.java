package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.test.DatabaseHandle;
import org.junit.jupiter.api.Test;

import static io.gator.store.StoreTables.share;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

/**
 * What a pool asks before it claims, and when nothing is left: whether there is anything,
 * where it begins and ends, and when there will be more.
 */
class LookTests extends AbstractClaimTests {

	LookTests(DatabaseHandle database) {
		super(database);
	}

	@Test
	void aLookSeesAJobThatIsReadyOrDue() {
		this.tables.ready("b");
		assertThat(isAnyWaiting(share("a", 1), share("b", 1))).isTrue();
		this.tables.claim(this.pool, 1, share("b", 1));
		this.tables.due("b", -10);
		assertThat(isAnyWaiting(share("a", 1), share("b", 1))).isTrue();
	}

	@Test
	void aLookDoesNotSeeWhatAClaimWouldLeave() {
		long passed = this.tables.ready("a");
		long due = this.tables.due("a", -60);
		double later = this.tables.secondsBetween("next_execution_at", "'1970-01-01 00:00:00+00'::timestamptz",
				"gator_job where id = " + due) + 1;
		ClaimRequest.Share behind = new ClaimRequest.Share("a", 10, passed, later);
		this.tables.ready("a");
		this.tables.due("a", -10);
		assertThat(this.tables.claim(this.pool, 10, behind)).as("claimed already").hasSize(2);
		this.tables.ready("b");
		this.tables.ready("a", "Other");
		this.tables.due("a", "Other", -10);
		this.tables.due("a", 3600);
		assertThat(isAnyWaiting(behind)).isFalse();
		assertThat(isAnyWaiting(new ClaimRequest.Share("a", 1, 0, later))).as("from the beginning").isTrue();
		assertThat(isAnyWaiting(new ClaimRequest.Share("a", 1, passed, 0))).as("from the beginning").isTrue();
	}

	@Test
	void noJobIsSeenTheSmallestMomentBeforeItsTime() {
		this.tables.stopClock();
		this.tables.due("a", 0.000001);
		assertThat(isAnyWaiting(share("a", 1))).isFalse();
		this.tables.jdbc().sql("update gator_job set next_execution_at = test_now()").update();
		assertThat(isAnyWaiting(share("a", 1))).isTrue();
	}

	private boolean isAnyWaiting(ClaimRequest.Share... shares) {
		LookRequest other = new LookRequest(Set.of("Nothing of this name"), List.of(shares));
		LookRequest request = new LookRequest(Set.of(StoreTables.JOB), List.of(shares));
		Set<LookRequest> seen = this.tables.stores().jobs().look(List.of(other, request));
		assertThat(seen).isSubsetOf(request);
		return seen.contains(request);
	}

	@Test
	void theFirstItemThatWaitsInAQueueIsOneThatIsImmediateUnclaimedOfItsJobAndBehindTheStart() {
		this.tables.ready("a");
		assertThat(this.tables.claim(this.pool, 1, share("a", 1))).hasSize(1);
		this.tables.ready("a", "Nothing of this name");
		this.tables.due("a", -10);
		this.tables.ready("b");
		long first = this.tables.ready("a");
		long second = this.tables.ready("a");
		this.tables.due("c", -10);
		assertThat(firstWaiting("a", 0)).isEqualTo(Map.of("a", first));
		assertThat(firstWaiting("a", first)).isEqualTo(Map.of("a", second));
		assertThat(firstWaiting("a", second)).isEmpty();
		assertThat(firstWaiting("c", 0)).isEmpty();
	}

	private Map<String, Long> firstWaiting(String queue, long after) {
		return this.tables.stores()
			.jobs()
			.firstWaiting(Set.of(StoreTables.JOB), List.of(new BatchRequest.From(queue, after)));
	}

	@Test
	void theNextDueTimeIsThatOfTheEarliestJobToCome() {
		this.tables.due("a", -60);
		this.tables.due("c", 5);
		this.tables.ready("a");
		double now = nextDue(0).askedAt();
		assertThat(nextDue(now).seconds()).isEmpty();
		this.tables.due("a", 600);
		this.tables.due("a", 120);
		this.tables.due("b", 60);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(30.0, 60.0);
		this.tables.advance(Duration.ofSeconds(70));
		assertThat(nextDue(now + 70).seconds().orElseThrow()).isBetween(20.0, 50.0);
	}

	@Test
	void aJobThatHasFallenDueSinceItWasLastAskedIsTheNextOneUnlessItIsClaimed() {
		double before = nextDue(0).askedAt();
		this.tables.due("a", 60);
		this.tables.advance(Duration.ofSeconds(120));
		assertThat(nextDue(before).seconds().orElseThrow()).isBetween(-90.0, -30.0);
		assertThat(this.tables.claim(this.pool, 1, share("a", 1))).hasSize(1);
		assertThat(nextDue(before).seconds()).isEmpty();
	}

	@Test
	void theNextJobIsFoundThoughTheClockWasPutBack() {
		double before = nextDue(0).askedAt();
		this.tables.due("a", 60);
		assertThat(nextDue(before + 1000).seconds().orElseThrow()).isBetween(30.0, 60.0);
	}

	@Test
	void jobsThatNobodyHereKnowsAreNotTheNextOneButAHundredOfThemEndTheSearch() {
		double now = nextDue(0).askedAt();
		for (int i = 1; i <= 99; i++) {
			this.tables.due("a", "Unknown", 60);
		}
		assertThat(nextDue(now).seconds()).isEmpty();
		this.tables.due("a", 120);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(90.0, 120.0);
		this.tables.due("a", "Unknown", 70);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(40.0, 70.0);
		this.tables.due("b", 30);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(0.0, 30.0);
	}

	private JobStore.NextDue nextDue(double since) {
		return this.tables.stores().jobs().nextDue(List.of(StoreTables.JOB), List.of("a", "b"), since);
	}

	@Test
	void theLastImmediateJobOfAQueueIsFoundWhateverItsNameAndWhoeverRunsIt() {
		this.tables.ready("a");
		long running = this.tables.ready("a");
		assertThat(this.tables.claim(this.pool, 10, share("a", 10))).hasSize(2);
		this.tables.due("a", 60);
		long foreign = this.tables.ready("b", "Nothing of this name");
		assertThat(ends("c", "a", "b").lastIds()).isEqualTo(Map.of("a", running, "b", foreign));
		for (JobStore.Ends ends : List.of(ends("a"), ends("c"))) {
			assertThat(ends.now()).isEqualTo(nextDue(0).askedAt(), offset(60.0));
		}
	}

	private JobStore.Ends ends(String... queues) {
		return this.tables.stores().jobs().ends(List.of(queues), 0);
	}

}
