package io.gator.leads.mail;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.gator.JobTemplate;
import io.gator.leads.LeadsTest;
import io.gator.leads.activity.Activities;
import io.gator.leads.lead.Leads;
import io.gator.leads.lead.NewLead;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@LeadsTest
class WelcomeMailTests {

	@Autowired
	private JobTemplate jobs;

	@Autowired
	private Leads leads;

	@Autowired
	private Activities activities;

	@Autowired
	private JdbcClient jdbc;

	@Test
	void anAddressIsWelcomedOnce() {
		long lead = lead("ada@ordinary.example");
		assertThat(dispatch(lead)).isEqualTo(new Ended("SUCCEEDED", 1));
		assertThat(this.activities.of(lead)).containsExactly("welcomed");
	}

	@Test
	void anAddressRefusedTheFirstTimeIsTriedAgain() {
		long lead = lead("ada@slow.example");
		assertThat(dispatch(lead)).isEqualTo(new Ended("SUCCEEDED", 2));
		assertThat(this.activities.of(lead)).containsExactly("welcomed");
	}

	@Test
	void anAddressRefusedEachTimeIsGivenUpAfterThreeRetries() {
		long lead = lead("ada@full.example");
		assertThat(dispatch(lead)).isEqualTo(new Ended("DEAD", 4));
		assertThat(this.activities.of(lead)).isEmpty();
	}

	@Test
	void anAddressRefusedForEverIsNotTriedAgain() {
		assertThat(dispatch(lead("ada@gone.example"))).isEqualTo(new Ended("DEAD", 1));
	}

	@Test
	void anAddressGivenUpIsToBeLookedAt() {
		long lead = lead("bo@gone.example");
		dispatch(lead);
		assertThat(this.leads.find(lead).orElseThrow().unreachable()).isEqualTo("550 5.1.1 No such mailbox");
	}

	@Test
	void aLeadThatIsGoneIsNoError() {
		assertThat(dispatch(-1)).isEqualTo(new Ended("SUCCEEDED", 1));
	}

	private long lead(String email) {
		return this.leads.addAll(List.of(new NewLead("Ada", email, null, "GB", 1, 1, true, null)), null).get(0).id();
	}

	private Ended dispatch(long lead) {
		long id = this.jobs.dispatch(SendWelcomeEmail.class, lead, Locale.ENGLISH);
		return await().atMost(Duration.ofSeconds(30))
			.until(() -> find(id), (job) -> List.of("SUCCEEDED", "DEAD").contains(job.state()));
	}

	private Ended find(long id) {
		return this.jdbc.sql("select state, attempts from gator_jobs where id = ?")
			.param(id)
			.query(Ended.class)
			.single();
	}

	record Ended(String state, int attempts) {

	}

}
