package io.gator.worker;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonSubTypes.Type;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeInfo.Id;
import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.routing.Route;
import io.gator.store.ClaimedJob;
import io.gator.store.JobMetadata;
import io.gator.store.JobMetadata.Link;
import io.gator.store.JobMetadata.Takes;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ChainLinksTests {

	private static final String GIVEN = "[{\"truck\":\"given\"}]";

	private final TestServices services = new TestServices(new FakeJobStore(), Load.class, Pack.class, Sort.class);

	@AfterEach
	void close() {
		this.services.close();
	}

	@Test
	void aLinkThatIsNotKnownHereGetsTheResultIfItTakesThat() {
		assertThat(argsAfter(Takes.RESULT, new Parcel("north"))).isEqualTo("[{\"truck\":\"north\"}]");
		assertThat(argsAfter(Takes.RESULT, List.of("a", "b"))).isEqualTo("[[\"a\",\"b\"]]");
		assertThat(argsAfter(Takes.RESULT, new String[] { "a", "b" })).isEqualTo("[[\"a\",\"b\"]]");
		assertThat(argsAfter(Takes.RESULT, null)).isEqualTo(GIVEN);
	}

	@Test
	void aLinkThatIsNotKnownHereGetsTheElementsOfTheResultWithTheIdsOfTheirTypes() {
		JobMetadata metadata = JobMetadata.of(Map.of(), List.of(new Link("Elsewhere", "q", Takes.RESULT, null)), null);
		Settlement.NextJob link = this.services.get()
			.links()
			.afterSuccess(job(metadata), route("Pack"), List.of(new Box(1)));
		assertThat(link).isNotNull();
		assertThat(link.args()).isEqualTo("[[{\"type\":\"box\",\"size\":1}]]");
	}

	@Test
	void aLinkThatIsNotKnownHereGetsTheSameArgumentsOrNoneIfItTakesThose() {
		assertThat(argsAfter(Takes.ARGUMENTS, "result")).isEqualTo(GIVEN);
		assertThat(argsAfter(Takes.NONE, "result")).isEqualTo("[]");
	}

	@Test
	void aLinkThatIsNotKnownHereHasTheKeyOfItsBatch() {
		assertThat(after(new Link("Elsewhere", "q", Takes.RESULT, "truck"), new Parcel("north")))
			.isEqualTo(new Settlement.NextJob("q", "Elsewhere", "[{\"truck\":\"north\"}]", "north", null));
		assertThat(after(new Link("Elsewhere", "q", Takes.ARGUMENTS, "truck"), "result").batchKey()).isEqualTo("given");
		assertThat(after(new Link("Elsewhere", "q", Takes.ARGUMENTS, "other"), "result").batchKey()).isNull();
	}

	@Test
	void aValueThatCannotBeAKeyGoesToABatchWithoutOne() {
		Settlement.NextJob link = after(new Link("Elsewhere", "q", Takes.RESULT, "truck"), new Parcel("x".repeat(513)));
		assertThat(link.args()).contains("xxx");
		assertThat(link.batchKey()).isNull();
	}

	@Test
	void aResultThatCannotBeSentToALinkThatIsNotKnownHereIsRefused() {
		for (Object result : List.of("\ud83d", "x".repeat(1000), new Object())) {
			assertThatExceptionOfType(JobDispatchException.class)
				.isThrownBy(() -> after(new Link("Elsewhere", "q", Takes.RESULT, null), result))
				.withMessageContaining("'Elsewhere'");
		}
	}

	@Test
	void theErrorJobThatIsNotKnownHereGetsTheArgumentsOfTheDeadLinkOrNone() {
		assertThat(afterDeath(new Link("Elsewhere", "q", Takes.ARGUMENTS, "truck")))
			.isEqualTo(new Settlement.NextJob("q", "Elsewhere", GIVEN, "given", null));
		assertThat(afterDeath(new Link("Elsewhere", "q", Takes.NONE, null)))
			.isEqualTo(new Settlement.NextJob("q", "Elsewhere", "[]", null, null));
	}

	@Test
	void aLinkThatIsKnownHereGetsWhatItsHandlerTakes() {
		Link load = new Link("Load", "q", Takes.NONE, null);
		assertThat(after(load, new Parcel("north")))
			.isEqualTo(new Settlement.NextJob("q", "Load", "[{\"truck\":\"north\"}]", "north", null));
		assertThat(after(load, "result")).isEqualTo(new Settlement.NextJob("q", "Load", GIVEN, "given", null));
	}

	@Test
	void theNextLinkKnowsWhatTheOneBehindItTakes() {
		Link next = new Link("Next", "q", Takes.NONE, null);
		Link last = new Link("Last", "q", Takes.RESULT, "truck");
		Settlement.NextJob link = this.services.get()
			.links()
			.afterSuccess(job(JobMetadata.of(Map.of(), List.of(next, last), last)), route("Sort"), "result");
		assertThat(link).isNotNull();
		assertThat(new JobMetadata(link.metadata())).isEqualTo(JobMetadata.of(Map.of(), List.of(last), last));
	}

	private String argsAfter(Takes takes, @Nullable Object result) {
		return after(new Link("Elsewhere", "q", takes, null), result).args();
	}

	private Settlement.NextJob after(Link next, @Nullable Object result) {
		JobMetadata metadata = JobMetadata.of(Map.of(), List.of(next), null);
		Settlement.NextJob link = this.services.get().links().afterSuccess(job(metadata), route("Sort"), result);
		assertThat(link).isNotNull();
		assertThat(link.metadata()).isEqualTo("{\"chain\":[]}");
		return new Settlement.NextJob(link.queue(), link.name(), link.args(), link.batchKey(), null);
	}

	private Settlement.@Nullable NextJob afterDeath(Link error) {
		return this.services.get().links().afterDeath(job(JobMetadata.of(Map.of(), List.of(), error)), route("Sort"));
	}

	private Route route(String name) {
		return Objects.requireNonNull(this.services.get().routes().find(name));
	}

	private static ClaimedJob job(JobMetadata metadata) {
		return TestClaimedJob.of(1, "Sort").queue("q").args(GIVEN).metadata(metadata.json()).get();
	}

	record Parcel(String truck) {

	}

	@JsonTypeInfo(use = Id.NAME, property = "type")
	@JsonSubTypes(@Type(name = "box", value = Box.class))
	interface Packed {

	}

	record Box(int size) implements Packed {

	}

	@Job
	static class Sort {

		Object handle(Parcel parcel) {
			return parcel;
		}

	}

	@Job
	static class Pack {

		List<Packed> handle(Parcel parcel) {
			return List.of();
		}

	}

	@Job
	@Buffered(size = 2, key = "truck")
	static class Load {

		void handle(List<Parcel> parcels) {
		}

	}

}
