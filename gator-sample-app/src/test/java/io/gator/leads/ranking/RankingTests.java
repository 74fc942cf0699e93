package io.gator.leads.ranking;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.gator.JobAdmin;
import io.gator.JobTemplate;
import io.gator.leads.LeadsTest;
import io.gator.leads.lead.Lead;
import io.gator.leads.lead.Leads;
import io.gator.leads.lead.NewLead;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@LeadsTest
class RankingTests {

	@Autowired
	private MockMvcTester web;

	@Autowired
	private JobTemplate jobs;

	@Autowired
	private JobAdmin admin;

	@Autowired
	private Leads leads;

	@Autowired
	private JdbcClient jdbc;

	@Autowired
	private TransactionTemplate transaction;

	@AfterEach
	void resume() {
		this.admin.resume("low");
	}

	@Test
	void theBestLeadComesFirst() {
		Lead lead = this.leads
			.addAll(List.of(new NewLead("Ada", "ada@rank.example", null, null, 9000, 1000, true, null)), null)
			.get(0);
		this.leads.score(lead.id(), 101);
		String location = request();
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.web.get().uri(location)).bodyJson()
				.extractingPath("$.state")
				.isEqualTo("SUCCEEDED"));
		assertThat(this.web.get().uri(location)).bodyJson().extractingPath("$.leads").asNumber().isNotEqualTo(0);
		assertThat(this.web.get().uri("/leads")).bodyJson().extractingPath("$[0].name").isEqualTo("Ada");
		assertThat(this.leads.find(lead.id()).orElseThrow().rank()).isEqualTo(1);
	}

	@Test
	void whileARankingIsWaitedForNoOtherIsMade() {
		this.admin.pause("low");
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.admin.workers().stream().noneMatch((pool) -> pool.queues().contains("low")));
		long waiting = this.jobs.dispatch(RankLeads.class);
		assertThat(request()).isEqualTo(request()).isEqualTo("/rankings/" + waiting);
	}

	@Test
	void aRankingWaitsForTheOneBeforeItRatherThanMeetItHalfWay() {
		CompletableFuture<Integer> second = this.transaction.execute((status) -> {
			this.leads.rank();
			CompletableFuture<Integer> other = CompletableFuture.supplyAsync(this.leads::rank);
			await().atMost(Duration.ofSeconds(30)).until(() -> waitingForALock() > 0);
			return other;
		});
		assertThat(second).succeedsWithin(Duration.ofSeconds(30));
	}

	private long waitingForALock() {
		return this.jdbc.sql("select count(*) from pg_locks where locktype = 'advisory' and not granted")
			.query(Long.class)
			.single();
	}

	@Test
	void otherJobsAreNoRankings() {
		assertThat(this.web.get().uri("/rankings/-1")).hasStatus(HttpStatus.NOT_FOUND);
	}

	private String request() {
		return String.valueOf(this.web.post().uri("/rankings").exchange().getResponse().getHeader("Location"));
	}

}
