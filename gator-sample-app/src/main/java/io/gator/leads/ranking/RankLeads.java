package io.gator.leads.ranking;

import io.gator.Job;
import io.gator.Unique;
import io.gator.leads.lead.Leads;

/**
 * Puts all leads in order by their score. However often it is asked for, one such job
 * waits at most; one that has begun does not count, as it has read the scores already.
 */
@Job(name = RankLeads.NAME, queue = "low", transactional = true)
@Unique(until = Unique.Until.STARTED)
public class RankLeads {

	static final String NAME = "RankLeads";

	private final Leads leads;

	RankLeads(Leads leads) {
		this.leads = leads;
	}

	/**
	 * Put them in order.
	 * @return how many there are, which is kept with the job
	 */
	int handle() {
		return this.leads.rank();
	}

}
