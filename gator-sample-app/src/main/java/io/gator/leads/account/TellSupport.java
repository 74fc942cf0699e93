package io.gator.leads.account;

import io.gator.Job;
import io.gator.leads.activity.Activities;

/**
 * Puts a lead on the list of the support: what is done when a link of the chain is dead.
 */
@Job(transactional = true)
class TellSupport {

	private final Activities activities;

	TellSupport(Activities activities) {
		this.activities = activities;
	}

	void handle(long leadId) {
		this.activities.record(leadId, "to be looked after by the support");
	}

}
