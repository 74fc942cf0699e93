package io.gator.leads.account;

import io.gator.Job;
import io.gator.leads.lead.Leads;

/**
 * Opens an account: the first link of the chain.
 */
@Job(transactional = true)
class OpenAccount {

	private final Leads leads;

	OpenAccount(Leads leads) {
		this.leads = leads;
	}

	void handle(long leadId) {
		this.leads.openAccount(leadId, "A%06d".formatted(leadId));
	}

}
