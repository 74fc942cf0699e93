package io.gator.leads.activity;

import java.util.List;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobBatch;
import io.gator.OnDead;
import io.gator.RetryWith;

/**
 * Tells the marketing service what was done. Activities are dispatched one at a time,
 * where they happen, and sent a thousand at a time, as the service wants them. Those that
 * it refuses are tried again without the others; if the whole request fails, all are.
 */
@Job(queue = "marketing")
@Buffered(size = MarketingService.MAX_ITEMS, maxWait = "${leads.marketing-wait:2s}")
@RetryWith(interval = "${leads.marketing-retry-interval:1s}", maxRetries = 2)
class SyncActivities {

	private final MarketingService marketing;

	private final Activities activities;

	SyncActivities(MarketingService marketing, Activities activities) {
		this.marketing = marketing;
		this.activities = activities;
	}

	void handle(JobBatch<ContactActivity> batch) {
		for (ContactActivity refused : this.marketing.send(batch.items())) {
			batch.fail(refused, new ActivityRefusedException());
		}
	}

	@OnDead
	void giveUp(List<ContactActivity> refused) {
		this.activities.markRefused(refused);
	}

}
