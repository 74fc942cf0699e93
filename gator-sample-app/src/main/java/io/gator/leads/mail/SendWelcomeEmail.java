package io.gator.leads.mail;

import java.util.Locale;

import io.gator.Job;
import io.gator.JobContext;
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

	void handle(long leadId, Locale language, JobContext job) {
		this.leads.find(leadId).ifPresent((lead) -> {
			// At least once: a mail server that knows the id drops the second.
			this.mailer.send(lead, "welcome", language, job.id());
			this.activities.record(leadId, "welcomed");
		});
	}

	@OnDead
	void giveUp(long leadId, Throwable error) {
		this.leads.markUnreachable(leadId, String.valueOf(error.getMessage()));
	}

}
