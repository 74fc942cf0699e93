package io.gator.leads.signup;

import java.util.List;

import io.gator.leads.account.Accounts;
import io.gator.leads.lead.Lead;
import io.gator.leads.lead.Leads;
import io.gator.leads.onboarding.Onboarding;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Records people who sign up, with their jobs, in one transaction.
 */
@Service
class SignUpService {

	private final Leads leads;

	private final Onboarding onboarding;

	private final Accounts accounts;

	private final Plans plans;

	SignUpService(Leads leads, Onboarding onboarding, Accounts accounts, Plans plans) {
		this.leads = leads;
		this.onboarding = onboarding;
		this.accounts = accounts;
		this.plans = plans;
	}

	/**
	 * Sign up. The jobs are dispatched before it is known whether there is a place: if
	 * there is none, they never existed, and no welcome is sent.
	 * @param signUp who, and for which plan
	 * @return the lead
	 */
	@Transactional
	public Lead signUp(SignUp signUp) {
		Lead lead = this.leads.addAll(List.of(signUp.toLead()), null).get(0);
		this.onboarding.begin(List.of(lead));
		this.accounts.open(lead.id());
		this.plans.takePlace(signUp.planOrDefault());
		return lead;
	}

}
