package io.gator.leads.mail;

import io.gator.Job;
import io.gator.leads.activity.Activities;
import io.gator.leads.lead.Leads;

/**
 * Reminds a lead of a payment, at the date on which it is overdue.
 */
@Job(timeout = "20s")
@MailRetries
public class SendPaymentReminder {

	private final Leads leads;

	private final Activities activities;

	private final Mailer mailer;

	SendPaymentReminder(Leads leads, Activities activities, Mailer mailer) {
		this.leads = leads;
		this.activities = activities;
		this.mailer = mailer;
	}

	void handle(long leadId) {
		this.leads.find(leadId).ifPresent((lead) -> {
			this.mailer.send(lead, "reminder", lead.language());
			this.activities.record(leadId, "reminded");
		});
	}

}
