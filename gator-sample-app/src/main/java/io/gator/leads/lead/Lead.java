package io.gator.leads.lead;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A lead on record.
 *
 * @param id the id
 * @param name the name of a person
 * @param email the address
 * @param company the company, if it is known
 * @param country the country, if it is known
 * @param employees how many people the company employs
 * @param budget what the lead can spend, in thousands
 * @param optIn whether the lead agreed to be sent mail
 * @param paymentDays the term of payment in days, if there is something to pay
 * @param score how promising the lead is, from 0 to 100, once that is known
 * @param rank the place among all leads, once that is known
 * @param registerId the id of the company in the register, once that is known
 * @param account the account, once it was opened
 * @param unreachable why mail does not reach the lead, if it does not
 */
public record Lead(long id, String name, String email, @Nullable String company, @Nullable String country,
		int employees, int budget, boolean optIn, @Nullable Integer paymentDays, @Nullable Integer score,
		@Nullable Integer rank, @Nullable String registerId, @Nullable String account, @Nullable String unreachable) {

	static Lead of(long id, NewLead lead) {
		return new Lead(id, lead.name(), lead.email(), lead.company(), lead.country(), lead.employees(), lead.budget(),
				lead.optIn(), lead.paymentDays(), null, null, null, null, null);
	}

	/**
	 * The language to write to the lead in.
	 * @return German, French or English
	 */
	public Locale language() {
		return switch ((this.country != null) ? this.country : "") {
			case "AT", "DE", "LI" -> Locale.GERMAN;
			case "FR", "MC" -> Locale.FRENCH;
			default -> Locale.ENGLISH;
		};
	}

}
