package io.gator.leads.signup;

import io.gator.leads.lead.NewLead;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants a place in a plan.
 *
 * @param name the name
 * @param email the address
 * @param company the company, if any
 * @param country the country, if it was given
 * @param plan the plan, {@code starter} if none was given
 */
record SignUp(@Nullable String name, @Nullable String email, @Nullable String company, @Nullable String country,
		@Nullable String plan) {

	String planOrDefault() {
		return (this.plan != null) ? this.plan : "starter";
	}

	NewLead toLead() {
		return new NewLead((this.name != null) ? this.name : "", (this.email != null) ? this.email : "", this.company,
				this.country, 0, 0, true, null);
	}

}
