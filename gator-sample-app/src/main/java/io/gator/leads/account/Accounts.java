package io.gator.leads.account;

import io.gator.JobTemplate;

import org.springframework.stereotype.Service;

/**
 * Accounts of leads.
 */
@Service
public class Accounts {

	private final JobTemplate jobs;

	Accounts(JobTemplate jobs) {
		this.jobs = jobs;
	}

	/**
	 * Open an account and tell the lead about it, one after the other; and tell the
	 * support if either cannot be done.
	 * @param leadId the id of the lead
	 */
	public void open(long leadId) {
		this.jobs.chain(OpenAccount.class).then(SendAccountDetails.class).onError(TellSupport.class).dispatch(leadId);
	}

}
