package io.gator.leads.onboarding;

import io.gator.Job;
import io.gator.leads.activity.Activities;

/**
 * Puts a promising lead on the list of calls, some time after it was found to be one.
 */
@Job(queue = "low", transactional = true)
class FollowUp {

	private final Activities activities;

	FollowUp(Activities activities) {
		this.activities = activities;
	}

	void handle(long leadId) {
		this.activities.record(leadId, "to be called");
	}

}
