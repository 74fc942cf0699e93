package io.gator.leads.activity;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.gator.leads.LeadsTest;
import io.gator.leads.lead.Lead;
import io.gator.leads.lead.Leads;
import io.gator.leads.lead.NewLead;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@LeadsTest
class SyncActivitiesTests {

	@Autowired
	private Activities activities;

	@Autowired
	private MarketingService marketing;

	@Autowired
	private Leads leads;

	@Autowired
	private JdbcClient jdbc;

	@Autowired
	private TransactionTemplate transaction;

	@Test
	void manyActivitiesAreFewRequestsAndThoseRefusedAreMarked() {
		// One in five hundred leads is refused, so one of these is.
		List<Long> ids = this.leads
			.addAll(IntStream.range(0, 500)
				.mapToObj((n) -> new NewLead("Ada", "ada%d@sync.example".formatted(n), null, null, 1, 1, false, null))
				.toList(), null)
			.stream()
			.map(Lead::id)
			.toList();
		nothingOfOthersIsSent();
		nextRequestsAreTaken();
		int requests = this.marketing.requests();
		long received = this.marketing.received();
		// Seen by the workers all at once, when this commits.
		this.transaction.executeWithoutResult((status) -> ids.forEach((id) -> this.activities.record(id, "called")));
		await().atMost(Duration.ofSeconds(30)).until(() -> this.marketing.received() >= received + 499);
		await().atMost(Duration.ofSeconds(30)).until(() -> refused() == 1);
		assertThat(this.marketing.received()).isEqualTo(received + 499);
		assertThat(this.marketing.requests() - requests).isLessThan(20);
	}

	private void nothingOfOthersIsSent() {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.jdbc.sql("select count(*) from gator_job where name = 'SyncActivities'")
				.query(Long.class)
				.single() == 0);
	}

	/** Each fourth one is not, whoever sends it. */
	private void nextRequestsAreTaken() {
		boolean taken = true;
		while (taken) {
			try {
				this.marketing.send(List.of());
			}
			catch (MarketingDownException ex) {
				taken = false;
			}
		}
	}

	private long refused() {
		return this.jdbc.sql("""
				select count(*) from activity
				  join lead on lead.id = activity.lead_id
				 where activity.refused and lead.email like '%@sync.example'""").query(Long.class).single();
	}

}
