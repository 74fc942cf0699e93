package io.gator.leads.imports;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.gator.leads.LeadsTest;
import io.gator.leads.imports.LeadImporter.Outcome;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@LeadsTest
class ImportTests {

	@Autowired
	private MockMvcTester web;

	@Autowired
	private LeadImports imports;

	@Autowired
	private ImportReport report;

	@Autowired
	private JdbcClient jdbc;

	@Test
	void goodLinesAreImportedAndTheOthersReported() throws Exception {
		Outcome outcome = post(new ClassPathResource("malformed.csv").getContentAsByteArray());
		assertThat(outcome.imported()).isEqualTo(3);
		assertThat(outcome.malformed()).hasSize(11).contains(new MalformedLine(3, "it has 2 values for 8 columns"));
		LeadImport done = through(outcome.id());
		assertThat(done.malformed()).isEqualTo(11);
		assertThat(scores(outcome.id())).isEqualTo(3);
	}

	@Test
	void aFormIsTakenAsWell() throws Exception {
		MvcTestResult result = this.web.post()
			.uri("/imports")
			.multipart()
			.file("file", "name,email\nAda,ada@cedar.example\n".getBytes(StandardCharsets.UTF_8))
			.exchange();
		assertThat(result).hasStatus(HttpStatus.CREATED);
		assertThat(result).bodyJson().extractingPath("$.imported").isEqualTo(1);
	}

	@Test
	void aFileWithoutAHeaderLeavesNothingBehind() {
		long before = count("lead_import");
		MvcTestResult result = this.web.post().uri("/imports").content("Ada,ada@cedar.example").exchange();
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(result).bodyJson().extractingPath("$.detail").asString().contains("must name the columns");
		assertThat(count("lead_import")).isEqualTo(before);
	}

	@Test
	void theShippedFileEndsInATable() throws Exception {
		Outcome outcome = post(new ClassPathResource("leads.csv").getContentAsByteArray());
		assertThat(outcome.imported()).isEqualTo(5000);
		String text = this.report.of(through(outcome.id()));
		assertThat(text).contains("5,000 leads imported, 0 lines malformed")
			.containsPattern("critical +SendWelcomeEmail +1,961 +40 +15 +\\d")
			.containsPattern("default +ScoreLead +5,000 +0 +0 +\\d")
			.containsPattern("default +SendPaymentReminder +174 +0 +0 +\\d")
			.containsPattern("low +FollowUp +\\d+ +0 +0 +\\d")
			.containsPattern("low +LookUpCompany +\\d+ +\\d+ +10 +\\d")
			.containsPattern("low +RankLeads +\\d+ +0 +0 +\\d")
			.containsPattern("marketing +SyncActivities +\\d,\\d+ +[\\d,]+ +\\d+ +\\d")
			.containsPattern("Scheduled for later: 610 SendPaymentReminder, the first on \\d{4}-\\d\\d-\\d\\d")
			.containsPattern("@gone.example +.*550 5.1.1 No such mailbox")
			.containsPattern("@full.example +.*452 4.2.2 Mailbox full")
			.doesNotContain("@slow.example");
	}

	private Outcome post(byte[] csv) {
		MvcTestResult result = this.web.post()
			.uri("/imports")
			.contentType(MediaType.valueOf("text/csv"))
			.content(csv)
			.exchange();
		assertThat(result).hasStatus(HttpStatus.CREATED);
		return assertThat(result).bodyJson().convertTo(Outcome.class).actual();
	}

	private LeadImport through(long id) {
		return await().atMost(Duration.ofMinutes(5))
			.until(() -> this.imports.find(id).orElseThrow(), (found) -> found.finishedAt() != null);
	}

	private long scores(long importId) {
		return this.jdbc.sql("select count(score) from lead where import_id = ?")
			.param(importId)
			.query(Long.class)
			.single();
	}

	private long count(String table) {
		return this.jdbc.sql("select count(*) from " + table).query(Long.class).single();
	}

}
