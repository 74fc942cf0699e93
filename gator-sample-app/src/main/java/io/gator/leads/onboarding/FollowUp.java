package io.gator.leads.onboarding;

import io.gator.Job;
import io.gator.leads.lead.Leads;

/**
 * Puts a promising lead on the list of calls, some time after it was found to be one.
 */
@Job(queue = "low", transactional = true)
class FollowUp {

	private final Leads leads;

	FollowUp(Leads leads) {
		this.leads = leads;
	}

	void handle(long leadId) {
		this.leads.note(leadId, "to be called");
	}

}
