package io.gator.leads.activity;

/**
 * The marketing service took the other activities of a request, but not this one.
 */
class ActivityRefusedException extends RuntimeException {

	ActivityRefusedException() {
		super("The marketing service refused the activity");
	}

}
