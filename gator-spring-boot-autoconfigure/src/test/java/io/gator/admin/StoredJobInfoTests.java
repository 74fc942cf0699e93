package io.gator.admin;

import java.time.Instant;
import java.util.List;

import io.gator.JobState;
import io.gator.routing.ArgsCodec;
import io.gator.store.StoredJob;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StoredJobInfoTests {

	private static final ArgsCodec CODEC = new ArgsCodec(List.of(), 1_000);

	private static final Instant START = Instant.parse("2031-02-03T04:05:06Z");

	@Test
	void allThatIsKnownOfAJobIsShown() {
		StoredJobInfo job = new StoredJobInfo(new StoredJob(7, "mail", "Send", JobState.SUCCEEDED, 3, START,
				START.plusSeconds(1), START.plusSeconds(2), 8L, START.plusSeconds(3), START.plusSeconds(4), "what",
				"key", "[1]", "\"sent\"", "{\"chain\":[{\"name\":\"Note\",\"queue\":\"low\"}]}"), CODEC);
		assertThat(job.id()).isEqualTo(7);
		assertThat(job.queue()).isEqualTo("mail");
		assertThat(job.name()).isEqualTo("Send");
		assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(job.attempts()).isEqualTo(3);
		assertThat(job.dispatchedAt()).isEqualTo(START);
		assertThat(job.dueAt()).contains(START.plusSeconds(1));
		assertThat(job.claimedAt()).contains(START.plusSeconds(2));
		assertThat(job.workerId()).contains(8L);
		assertThat(job.lastExecutedAt()).contains(START.plusSeconds(3));
		assertThat(job.finishedAt()).contains(START.plusSeconds(4));
		assertThat(job.error()).contains("what");
		assertThat(job.uniqueKey()).contains("key");
		assertThat(job.args()).contains("[1]");
		assertThat(job.result(String.class)).contains("sent");
		assertThat(job.chain()).containsExactly("Note");
	}

	@Test
	void whatIsNotKnownOfAJobIsEmpty() {
		StoredJobInfo job = new StoredJobInfo(new StoredJob(7, "mail", "Send", JobState.WAITING, 0, START, null, null,
				null, null, null, null, null, null, null, null), CODEC);
		assertThat(job.dueAt()).isEmpty();
		assertThat(job.claimedAt()).isEmpty();
		assertThat(job.workerId()).isEmpty();
		assertThat(job.lastExecutedAt()).isEmpty();
		assertThat(job.finishedAt()).isEmpty();
		assertThat(job.error()).isEmpty();
		assertThat(job.uniqueKey()).isEmpty();
		assertThat(job.args()).isEmpty();
		assertThat(job.result(String.class)).isEmpty();
		assertThat(job.chain()).isEmpty();
	}

}
