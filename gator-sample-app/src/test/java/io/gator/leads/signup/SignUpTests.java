package io.gator.leads.signup;

import java.time.Duration;

import io.gator.leads.LeadsTest;
import io.gator.leads.activity.Activities;
import io.gator.leads.lead.Leads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@LeadsTest
class SignUpTests {

	@Autowired
	private MockMvcTester web;

	@Autowired
	private Leads leads;

	@Autowired
	private Activities activities;

	@Autowired
	private JdbcClient jdbc;

	@Test
	void aSignUpIsWelcomedScoredAndGetsAnAccount() {
		MvcTestResult result = post("{'name': 'Ada', 'email': 'ada@welcome.example'}");
		assertThat(result).hasStatus(HttpStatus.CREATED);
		long id = id("ada@welcome.example");
		assertThat(result).hasHeader("Location", "/leads/" + id);
		waitFor(id, "welcomed", "scored", "told of the account");
		assertThat(this.leads.find(id).orElseThrow().account()).isEqualTo("A%06d".formatted(id));
		assertThat(this.web.get().uri("/leads/" + id)).bodyJson().extractingPath("$.activities").asArray().hasSize(3);
	}

	@Test
	void theSupportIsToldWhereTheAccountCannotBeSent() {
		assertThat(post("{'name': 'Flo', 'email': 'flo@gone.example'}")).hasStatus(HttpStatus.CREATED);
		waitFor(id("flo@gone.example"), "scored", "to be looked after by the support");
	}

	@Test
	void aSignUpThatFailsLeavesNeitherLeadNorJob() {
		MvcTestResult result = post("{'name': 'Bo', 'email': 'bo@late.example', 'plan': 'beta'}");
		assertThat(result).hasStatus(HttpStatus.CONFLICT);
		assertThat(result).bodyJson().extractingPath("$.detail").asString().contains("no place left");
		assertThat(
				this.jdbc.sql("select count(*) from lead where email = 'bo@late.example'").query(Long.class).single())
			.isZero();
		long id = this.jdbc.sql("select last_value from lead_id_seq").query(Long.class).single();
		assertThat(jobs(id)).isZero();
	}

	@Test
	void nobodySignsUpTwice() {
		assertThat(post("{'name': 'Cy', 'email': 'cy@twice.example'}")).hasStatus(HttpStatus.CREATED);
		assertThat(post("{'name': 'Cy', 'email': 'CY@twice.example'}")).hasStatus(HttpStatus.CONFLICT);
		long id = id("cy@twice.example");
		waitFor(id, "welcomed", "scored", "told of the account");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{'name': 'Dee'}", "{'name': 'Dee', 'email': 'dee'}", "[]", "{" })
	void whatIsNotASignUpIsRefused(String body) {
		assertThat(post(body)).hasStatus(HttpStatus.BAD_REQUEST);
	}

	private MvcTestResult post(String body) {
		return this.web.post()
			.uri("/signups")
			.contentType(MediaType.APPLICATION_JSON)
			.content(body.replace('\'', '"'))
			.exchange();
	}

	private void waitFor(long id, String... activities) {
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.activities.of(id)).containsExactlyInAnyOrder(activities));
	}

	private long id(String email) {
		return this.jdbc.sql("select id from lead where email = ?").param(email).query(Long.class).single();
	}

	/**
	 * The jobs about a lead, which have its id as their first argument.
	 */
	private long jobs(long lead) {
		return this.jdbc.sql("select count(*) from gator_job where args ->> 0 = ?")
			.param(String.valueOf(lead))
			.query(Long.class)
			.single();
	}

}
