package io.gator.store;

import java.util.List;
import java.util.Map;

import io.gator.store.JobMetadata.Follower;
import io.gator.store.JobMetadata.Link;
import io.gator.store.JobMetadata.Takes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class JobMetadataTests {

	private static final Link SHIP = new Link("Ship", "default", Takes.ARGUMENTS, null);

	private static final Link REFUND = new Link("Refund", "money", Takes.ARGUMENTS, null);

	@Test
	void metadataIsReadAsItWasWritten() {
		JobMetadata metadata = JobMetadata.of(Map.of("tenant", "one"), List.of(SHIP, REFUND), REFUND);
		assertThat(metadata.headers()).containsExactly(Map.entry("tenant", "one"));
		assertThat(metadata.chain()).containsExactly(SHIP, REFUND);
		assertThat(metadata.next())
			.isEqualTo(new Follower(SHIP, JobMetadata.of(Map.of("tenant", "one"), List.of(REFUND), REFUND)));
		assertThat(metadata.onError())
			.isEqualTo(new Follower(REFUND, JobMetadata.of(Map.of("tenant", "one"), List.of(), null)));
	}

	@Test
	void aLinkSaysWhatItTakesUnlessThatIsTheSameArguments() {
		Link load = new Link("Load", "default", Takes.RESULT, "truck");
		Link note = new Link("Note", "default", Takes.NONE, null);
		JobMetadata metadata = JobMetadata.of(Map.of(), List.of(SHIP, load), note);
		assertThat(metadata.json()).isEqualTo("{\"chain\":[{\"name\":\"Ship\",\"queue\":\"default\"},"
				+ "{\"name\":\"Load\",\"queue\":\"default\",\"takes\":\"result\",\"key\":\"truck\"}],"
				+ "\"onError\":{\"name\":\"Note\",\"queue\":\"default\",\"takes\":\"none\"}}");
		assertThat(metadata.chain()).containsExactly(SHIP, load);
		assertThat(metadata.next()).isEqualTo(new Follower(SHIP, JobMetadata.of(Map.of(), List.of(load), note)));
		assertThat(metadata.onError()).isEqualTo(new Follower(note, new JobMetadata(null)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"takes\":\"both\",\"key\":7", "\"takes\":null,\"key\":{}", "\"takes\":[],\"key\":null" })
	void aLinkOfWhichNobodyKnowsWhatItTakesIsGivenTheSameArguments(String takes) {
		assertThat(new JobMetadata("{\"chain\":[{\"name\":\"Ship\",\"queue\":\"default\"," + takes + "}]}").chain())
			.containsExactly(SHIP);
	}

	@Test
	void metadataThatSaysNothingIsNotWritten() {
		assertThat(JobMetadata.of(Map.of(), List.of(), null).json()).isNull();
		assertThat(JobMetadata.of(Map.of(), List.of(SHIP), REFUND).onError())
			.isEqualTo(new Follower(REFUND, new JobMetadata(null)));
	}

	@Test
	void metadataThatIsNotKnownIsHandedOnToTheNextLink() {
		Follower next = new JobMetadata("{\"chain\":[{\"name\":\"Ship\",\"queue\":\"default\"}],\"new\":{\"x\":[1]}}")
			.next();
		assertThat(next.link()).isEqualTo(SHIP);
		assertThat(next.metadata().json()).isEqualTo("{\"chain\":[],\"new\":{\"x\":[1]}}");
	}

	@Test
	void aLinkThatCannotBeReadIsLeftOut() {
		JobMetadata metadata = new JobMetadata(
				"{\"chain\":[7,{\"name\":\"Lost\"},{\"name\":\"Ship\",\"queue\":\"default\"},{\"name\":{},\"queue\":\"q\"}]}");
		assertThat(metadata.chain()).containsExactly(SHIP);
		assertThat(metadata.next().link()).isEqualTo(SHIP);
		assertThat(metadata.next().metadata().next()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "null", "7", "\"headers chain onError\"", "[\"headers\", \"chain\", \"onError\"]",
			"{\"headers\":7,\"chain\":7,\"onError\":7}", "{\"headers\":{\"x\":7},\"chain\":{},\"onError\":[]}",
			"{\"headers\":{},\"chain\":[[]],\"onError\":{\"name\":7,\"queue\":7}}",
			"{\"headers\" \"chain\" \"onError\"" })
	void metadataThatSomebodyElseWroteIsTakenAsNotSaid(String json) {
		JobMetadata metadata = new JobMetadata(json);
		assertThat(metadata.headers()).isEmpty();
		assertThat(metadata.chain()).isEmpty();
		assertThat(metadata.next()).isNull();
		assertThat(metadata.onError()).isNull();
	}

}
