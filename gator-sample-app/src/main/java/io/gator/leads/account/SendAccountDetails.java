package io.gator.leads.account;

import io.gator.Job;
import io.gator.leads.activity.Activities;
import io.gator.leads.lead.Leads;
import io.gator.leads.mail.MailRetries;
import io.gator.leads.mail.Mailer;

/**
 * Tells a lead about the account: the second link of the chain, so the account is there.
 */
@Job(queue = "critical", timeout = "20s")
@MailRetries
class SendAccountDetails {

	private final Leads leads;

	private final Activities activities;

	private final Mailer mailer;

	SendAccountDetails(Leads leads, Activities activities, Mailer mailer) {
		this.leads = leads;
		this.activities = activities;
		this.mailer = mailer;
	}

	void handle(long leadId) {
		this.leads.find(leadId).ifPresent((lead) -> {
			this.mailer.send(lead, "account", lead.language());
			this.activities.record(leadId, "told of the account");
		});
	}

}
