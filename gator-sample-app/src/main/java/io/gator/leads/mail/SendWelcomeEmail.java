package io.gator.leads.mail;

import java.util.Locale;

import io.gator.Job;
import io.gator.OnDead;
import io.gator.leads.activity.Activities;
import io.gator.leads.lead.Leads;

/**
 * Welcomes a lead.
 */
@Job(queue = "critical", timeout = "20s")
@MailRetries
public class SendWelcomeEmail {

	private final Leads leads;

	private final Activities activities;

	private final Mailer mailer;

	SendWelcomeEmail(Leads leads, Activities activities, Mailer mailer) {
		this.leads = leads;
		this.activities = activities;
		this.mailer = mailer;
	}

	void handle(long leadId, Locale language) {
		this.leads.find(leadId).ifPresent((lead) -> {
			this.mailer.send(lead, "welcome", language);
			this.activities.record(leadId, "welcomed");
		});
	}

	@OnDead
	void giveUp(long leadId, Throwable error) {
		this.leads.markUnreachable(leadId, String.valueOf(error.getMessage()));
	}

}
