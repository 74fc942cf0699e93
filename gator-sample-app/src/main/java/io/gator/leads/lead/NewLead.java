package io.gator.leads.lead;

import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A lead that was not recorded yet. Always valid; the constructor refuses the rest.
 *
 * @param name the name of a person
 * @param email the address, in lower case
 * @param company the company, if it is known
 * @param country the country, as in ISO 3166, if it is known
 * @param employees how many people the company employs
 * @param budget what the lead can spend, in thousands
 * @param optIn whether the lead agreed to be sent mail
 * @param paymentDays the term of payment in days, if there is something to pay
 */
public record NewLead(String name, String email, @Nullable String company, @Nullable String country, int employees,
		int budget, boolean optIn, @Nullable Integer paymentDays) {

	private static final Pattern EMAIL = Pattern.compile("[a-z0-9._%+-]{1,64}@[a-z0-9-]+(\\.[a-z0-9-]+)+");

	private static final Pattern COUNTRY = Pattern.compile("[A-Z]{2}");

	/**
	 * Create a new lead.
	 * @throws IllegalArgumentException if something about it is not valid
	 */
	public NewLead {
		email = email.toLowerCase(Locale.ROOT);
		check(isText(name), "the name is empty, too long or not text");
		check(EMAIL.matcher(email).matches() && email.length() <= 254, "the e-mail address is not one");
		check(company == null || isText(company), "the company is too long or not text");
		check(country == null || COUNTRY.matcher(country).matches(), "the country is not a code of two letters");
		check(employees >= 0, "the number of employees is negative");
		check(budget >= 0, "the budget is negative");
		check(paymentDays == null || (paymentDays >= 0 && paymentDays <= 365), "the term of payment is not 0 to 365");
	}

	private static boolean isText(String value) {
		return !value.isBlank() && value.length() <= 200
				&& value.codePoints().noneMatch((c) -> Character.isISOControl(c) || c == '\uFFFD');
	}

	private static void check(boolean valid, String message) {
		if (!valid) {
			throw new IllegalArgumentException(message);
		}
	}

}
