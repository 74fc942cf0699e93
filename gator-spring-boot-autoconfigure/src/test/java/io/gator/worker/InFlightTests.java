package io.gator.worker;

import java.util.List;
import java.util.Objects;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.routing.Route;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InFlightTests {

	private final InFlight inFlight = new InFlight();

	private final TestExecution first = new TestExecution(1);

	private final TestExecution second = new TestExecution(2);

	@Test
	void whatIsNotSettledIsInFlight() {
		this.inFlight.add(List.of(this.first, this.second));
		this.inFlight.settled(this.first);
		assertThat(this.inFlight.all()).containsExactly(this.second);
		assertThat(this.inFlight.isEmpty()).isFalse();
		this.inFlight.settled(this.second);
		assertThat(this.inFlight.all()).isEmpty();
		assertThat(this.inFlight.isEmpty()).isTrue();
	}

	@Test
	void aJobThatIsSettledTwiceCountsOnce() {
		this.inFlight.add(List.of(this.first, this.second));
		this.inFlight.settled(this.first);
		this.inFlight.settled(this.first);
		assertThat(this.inFlight.all()).containsExactly(this.second);
	}

	@Test
	void whatIsSettledIsLetGoThoughAnotherJobOfItsClaimIsNot() {
		this.inFlight.add(List.of(this.first, this.second));
		this.inFlight.settled(this.second);
		assertThat(held(this.first)).containsExactly(this.first, null);
	}

	@Test
	void aBatchIsKeptUntilTheLastOfItsItemsIsSettled() {
		try (TestServices services = new TestServices(new FakeJobStore(), Gathered.class)) {
			Route route = Objects.requireNonNull(services.get().routes().find("Gathered"));
			Batch batch = new Batch(services.get(),
					List.of(TestClaimedJob.of(3, "Gathered").get(), TestClaimedJob.of(4, "Gathered").get()), route, 1,
					0, new UncountedRun());
			this.inFlight.add(List.of(this.first, batch));
			this.inFlight.settled(batch);
			assertThat(held(this.first)).containsExactly(this.first, batch);
			this.inFlight.settled(batch);
			assertThat(held(this.first)).containsExactly(this.first, null);
		}
	}

	/** What is held because one job of its claim is not settled. */
	private static Object[] held(Execution unsettled) {
		return Objects.requireNonNull(unsettled.claim).executions;
	}

	@Job
	@Buffered
	static class Gathered {

		void handle(List<Integer> numbers) {
		}

	}

}
