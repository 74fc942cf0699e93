package io.gator.leads.signup;

/**
 * There is no place left in a plan.
 */
class NoPlaceLeftException extends RuntimeException {

	NoPlaceLeftException(String plan) {
		super("There is no place left in the plan '" + plan + "'");
	}

}
