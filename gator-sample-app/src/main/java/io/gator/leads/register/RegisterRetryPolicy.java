package io.gator.leads.register;

import io.gator.RetryDecision;
import io.gator.RetryPolicy;

/**
 * Asks again when the register wants to be asked again, and not at all for a company that
 * it does not know.
 */
class RegisterRetryPolicy implements RetryPolicy {

	@Override
	public RetryDecision decide(Throwable error, int retryCount) {
		if (error instanceof RegisterBusyException busy) {
			return RetryDecision.after(busy.retryAfter());
		}
		if (error instanceof UnknownCompanyException) {
			return RetryDecision.stop();
		}
		return RetryDecision.exponential();
	}

}
