package io.gator.leads.onboarding;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.leads.LeadsProperties;
import io.gator.leads.activity.Activities;
import io.gator.leads.lead.Lead;
import io.gator.leads.lead.Leads;
import io.gator.leads.ranking.RankLeads;

/**
 * Rates a lead. If it is promising a call is planned, and the leads will be ranked anew.
 * All this and the success of this job commit together, so nobody is called twice.
 */
@Job(transactional = true)
class ScoreLead {

	private static final int PROMISING = 80;

	private final Leads leads;

	private final Activities activities;

	private final JobTemplate jobs;

	private final LeadsProperties properties;

	ScoreLead(Leads leads, Activities activities, JobTemplate jobs, LeadsProperties properties) {
		this.leads = leads;
		this.activities = activities;
		this.jobs = jobs;
		this.properties = properties;
	}

	void handle(long leadId) {
		this.leads.find(leadId).ifPresent((lead) -> {
			int score = score(lead);
			this.leads.score(leadId, score);
			this.activities.record(leadId, "scored");
			if (score >= PROMISING) {
				this.jobs.to(FollowUp.class).delay(this.properties.followUpAfter()).dispatch(leadId);
				// One that waits may begin before this commits, and not see the score:
				// the next promising lead has all ranked again. If each had to be seen,
				// this would be dispatched after the commit.
				this.jobs.to(RankLeads.class).delay(this.properties.rankAfter()).dispatch();
			}
		});
	}

	static int score(Lead lead) {
		int size = Math.min(40, lead.employees() / 10);
		int means = Math.min(50, lead.budget() / 2);
		return size + means + (lead.optIn() ? 10 : 0);
	}

}
