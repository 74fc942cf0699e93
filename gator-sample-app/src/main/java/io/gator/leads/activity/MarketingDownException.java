package io.gator.leads.activity;

/**
 * The marketing service does not answer.
 */
class MarketingDownException extends RuntimeException {

	MarketingDownException() {
		super("The marketing service is down");
	}

}
