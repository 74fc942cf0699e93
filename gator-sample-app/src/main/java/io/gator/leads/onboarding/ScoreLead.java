package io.gator.leads.onboarding;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.leads.LeadsProperties;
import io.gator.leads.lead.Lead;
import io.gator.leads.lead.Leads;

/**
 * Rates a lead, and plans a call if it is promising. The score, the call and the success
 * of this job commit together, so nobody is called twice.
 */
@Job(transactional = true)
class ScoreLead {

	private static final int PROMISING = 80;

	private final Leads leads;

	private final JobTemplate jobs;

	private final LeadsProperties properties;

	ScoreLead(Leads leads, JobTemplate jobs, LeadsProperties properties) {
		this.leads = leads;
		this.jobs = jobs;
		this.properties = properties;
	}

	void handle(long leadId) {
		this.leads.find(leadId).ifPresent((lead) -> {
			int score = score(lead);
			this.leads.score(leadId, score);
			if (score >= PROMISING) {
				this.jobs.to(FollowUp.class).delay(this.properties.followUpAfter()).dispatch(leadId);
			}
		});
	}

	static int score(Lead lead) {
		int size = Math.min(40, lead.employees() / 10);
		int means = Math.min(50, lead.budget() / 2);
		return size + means + (lead.optIn() ? 10 : 0);
	}

}
