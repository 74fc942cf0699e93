package io.gator.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.gator.JobInfo;
import io.gator.JobState;
import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.InsightStore;
import io.gator.store.InsightStore.PoolFacts;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class WhyNotRunningTests {

	private static final Instant NOW = Instant.parse("2031-02-03T04:05:06Z");

	private static final double LEASE = 30;

	private final InsightStore store = mock(InsightStore.class);

	private final Routes routes = mock(Routes.class);

	private final WhyNotRunning why = new WhyNotRunning(this.store, this.routes);

	private final JobInfo job = mock(JobInfo.class);

	@BeforeEach
	void aJobWaits() {
		given(this.job.id()).willReturn(7L);
		given(this.job.name()).willReturn("Send");
		given(this.job.queue()).willReturn("mail");
		given(this.job.state()).willReturn(JobState.WAITING);
		given(this.job.dispatchedAt()).willReturn(NOW.minusSeconds(1));
		given(this.job.dueAt()).willReturn(Optional.empty());
		given(this.job.workerId()).willReturn(Optional.empty());
		given(this.store.queue("mail")).willReturn(new InsightStore.QueueState(NOW, null));
	}

	@Test
	void nothingIsInTheWayOfAJobThatAPoolWithAFreeSlotKnows() {
		pools(pool(1, LEASE, "mail", "Send", 9));
		assertThat(explain()).containsExactly("Nothing is in its way: it will be claimed with the next poll.");
	}

	@Test
	void aPoolThatIsSilentForLongerThanItsLeaseIsNoneThatRuns() {
		pools(pool(1, LEASE + 0.1, "mail", "Send", 0));
		assertThat(explain()).containsExactly("No pool is running anywhere.");
	}

	@Test
	void aJobIsTakenFromThePoolThatHoldsItWhenThatIsSilentForLongerThanItsLease() {
		given(this.job.state()).willReturn(JobState.RUNNING);
		given(this.job.workerId()).willReturn(Optional.of(1L));
		pools(pool(1, LEASE, "mail", "Send", 0));
		assertThat(explain())
			.containsExactly("It is claimed by pool 'one' (process 77 on here), whose last beat was " + "30 s ago.");
		pools(pool(1, LEASE + 1, "mail", "Send", 0));
		assertThat(explain()).containsExactly("It is claimed by pool 'one' (process 77 on here), whose last beat was "
				+ "31 s ago; that is longer than its lease, so another pool will take the job from it.");
		pools(pool(2, 0, "mail", "Send", 0));
		assertThat(explain())
			.containsExactly("It is claimed by a pool that is gone; another pool will take the job from it.");
	}

	@Test
	void poolsThatServeItsQueueAndThoseThatKnowItsNameMayBeOthers() {
		pools(pool(1, 0, "mail", "Other", 0), pool(2, 0, "low", "Send", 0));
		assertThat(explain())
			.containsExactly("No pool that serves the queue 'mail' knows the name 'Send'; these do: pool 'two' "
					+ "(process 77 on here).");
	}

	@Test
	void ofManyPoolsFiveTellWhatTheyServeAndOfManyJobsFiftyAreNamed() {
		pools(LongStream.rangeClosed(1, 6)
			.mapToObj((id) -> new PoolFacts(id, "p" + id, "here", 77, NOW, 0, LEASE, List.of("low"),
					IntStream.range(0, 10).mapToObj((n) -> "Job" + id + n).toList(), 10, 0))
			.toArray(PoolFacts[]::new));
		List<String> reasons = explain();
		assertThat(reasons).hasSize(2);
		assertThat(reasons.get(0)).startsWith("No pool serves the queue 'mail'")
			.contains("pool 'p5' (process 77 on here) serves low.")
			.doesNotContain("p6");
		assertThat(reasons.get(1)).startsWith("No pool knows a job named 'Send'")
			.contains("Job59.")
			.doesNotContain("Job60");
	}

	@Test
	void aPoolThatServesNoQueueAndKnowsNoJobIsOneAllTheSame() {
		pools(new PoolFacts(1, "one", "here", 77, NOW, 0, LEASE, List.of(), List.of(), 10, 0));
		assertThat(explain()).containsExactly(
				"No pool serves the queue 'mail', by the last beats; pool 'one' (process 77 on here) serves none.",
				"No pool knows a job named 'Send'. Those that are known: none.");
	}

	@Test
	void slotsAreBusyOnlyIfThoseOfAllPoolsAreThatCouldRunIt() {
		given(this.store.held(List.of(1L, 2L), Set.of("mail"))).willReturn(Map.of("Send", 20L));
		pools(pool(1, 0, "mail", "Send", 10), pool(2, 0, "mail", "Send", 9));
		assertThat(explain()).containsExactly("Nothing is in its way: it will be claimed with the next poll.");
		pools(pool(1, 0, "mail", "Send", 10), pool(2, 0, "mail", "Send", 10), pool(3, 0, "low", "Send", 0));
		assertThat(explain()).containsExactly("All slots of the pools that could run it are busy with Send (20).");
		given(this.store.held(List.of(1L, 2L), Set.of("mail"))).willReturn(Map.of());
		assertThat(explain()).as("they end just now")
			.containsExactly("All slots of the pools that could run it are busy.");
	}

	@Test
	void aBatchHasWaitedForLongEnoughAsOfWhenItsItemsAreDue() {
		Route route = mock(Route.class);
		given(route.buffered()).willReturn(new BufferSpec(10, Duration.ofMinutes(1), 2, null, false));
		given(this.routes.find("Send")).willReturn(route);
		pools(pool(1, 0, "mail", "Send", 0));
		given(this.job.dispatchedAt()).willReturn(NOW.minusSeconds(3_600));
		given(this.job.dueAt()).willReturn(Optional.of(NOW.minusSeconds(59)));
		assertThat(explain()).singleElement().asString().startsWith("It waits until its batch is full");
		given(this.job.dueAt()).willReturn(Optional.of(NOW.minusSeconds(60)));
		assertThat(explain()).containsExactly("Its batch has waited for long enough; a pool handles at most 2 batches "
				+ "of this job at once (maxConcurrent).");
	}

	@Test
	void jobsAheadAreCounted() {
		pools(pool(1, 0, "mail", "Send", 0));
		given(this.store.ahead("mail", 7, null)).willReturn(1L);
		assertThat(explain()).containsExactly("About 1 job of its queue is ahead of it.");
		given(this.store.ahead("mail", 7, null)).willReturn(2L);
		assertThat(explain()).containsExactly("About 2 jobs of its queue are ahead of it.");
	}

	@Test
	void allElseIsToldThoughJobsCannotBeCounted() {
		pools(pool(1, 0, "mail", "Send", 10));
		given(this.store.held(any(), any())).willThrow(StoreExceptions.passing());
		given(this.store.ahead("mail", 7, null)).willThrow(StoreExceptions.passing());
		assertThat(explain()).containsExactly("All slots of the pools that could run it are busy.",
				"How many jobs of its queue are ahead of it could not be counted.");
	}

	@ParameterizedTest
	@CsvSource({ "PT9.999S, 9999 ms", "PT10S, 10 s", "PT1M59S, 119 s", "PT2M, 2 min", "PT1H59M, 119 min", "PT2H, 2 h",
			"PT47H, 47 h", "PT48H, 2 days" })
	void durationsAreToldInTheUnitThatFits(Duration duration, String text) {
		assertThat(WhyNotRunning.text(duration)).isEqualTo(text);
	}

	private List<String> explain() {
		return this.why.explain(this.job);
	}

	private void pools(PoolFacts... pools) {
		given(this.store.pools()).willReturn(List.of(pools));
	}

	private static PoolFacts pool(long id, double silence, String queue, String name, int busy) {
		String pool = List.of("one", "two", "three").get((int) id - 1);
		return new PoolFacts(id, pool, "here", 77, NOW, silence, LEASE, List.of(queue), List.of(name), 10, busy);
	}

}
