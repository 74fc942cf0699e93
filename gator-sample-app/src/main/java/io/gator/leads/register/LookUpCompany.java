package io.gator.leads.register;

import io.gator.Job;
import io.gator.JobHandler;
import io.gator.RetryWith;
import io.gator.leads.lead.Leads;

/**
 * Finds the company of a lead in the register. When to ask again is for the register to
 * say, hence a policy; and a job with one argument may implement {@link JobHandler}.
 */
@Job(queue = "low")
@RetryWith(policy = RegisterRetryPolicy.class, maxRetries = 5)
public class LookUpCompany implements JobHandler<CompanyQuestion> {

	private final CompanyRegister register;

	private final Leads leads;

	LookUpCompany(CompanyRegister register, Leads leads) {
		this.register = register;
		this.leads = leads;
	}

	@Override
	public void handle(CompanyQuestion question) {
		this.leads.register(question.leadId(), this.register.find(question.company()));
	}

}
