package io.gator.leads.onboarding;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.gator.JobArgs;
import io.gator.JobTemplate;
import io.gator.leads.LeadsProperties;
import io.gator.leads.lead.Lead;
import io.gator.leads.mail.SendPaymentReminder;
import io.gator.leads.mail.SendWelcomeEmail;
import io.gator.leads.register.CompanyQuestion;
import io.gator.leads.register.LookUpCompany;

import org.springframework.stereotype.Service;

/**
 * Dispatches what is to be done about new leads. Called within the transaction that
 * records them, so that leads and jobs exist together or not at all.
 */
@Service
public class Onboarding {

	private static final int LARGE_COMPANY = 250;

	private final JobTemplate jobs;

	private final LeadsProperties properties;

	Onboarding(JobTemplate jobs, LeadsProperties properties) {
		this.jobs = jobs;
		this.properties = properties;
	}

	/**
	 * Score, welcome and look up the company of each lead, and remind of payments. A few
	 * statements do for any number of leads.
	 * @param leads new leads
	 */
	public void begin(Collection<Lead> leads) {
		this.jobs.dispatchMany(ScoreLead.class, leads.stream().map(Lead::id).toList());
		this.jobs.dispatchMany(SendWelcomeEmail.class,
				leads.stream().filter(Lead::optIn).map((lead) -> JobArgs.args(lead.id(), lead.language())).toList());
		this.jobs.dispatchMany(LookUpCompany.class, leads.stream().flatMap(Onboarding::question).toList());
		remindOfPayment(leads);
	}

	private static Stream<CompanyQuestion> question(Lead lead) {
		return Stream.ofNullable(lead.company())
			.filter((company) -> lead.employees() >= LARGE_COMPANY)
			.map((company) -> new CompanyQuestion(lead.id(), company));
	}

	private void remindOfPayment(Collection<Lead> leads) {
		Instant now = Instant.now();
		Map<Integer, List<Lead>> byTerm = leads.stream()
			.filter((lead) -> lead.paymentDays() != null)
			.collect(Collectors.groupingBy(Lead::paymentDays));
		byTerm.forEach((days, debtors) -> this.jobs.to(SendPaymentReminder.class)
			.at(now.plus(Duration.ofDays(days)).plus(this.properties.paymentGrace()))
			.dispatchMany(debtors.stream().map(Lead::id).toList()));
	}

}
