package io.gator.leads.register;

/**
 * The register does not know a company.
 */
public class UnknownCompanyException extends RuntimeException {

	UnknownCompanyException() {
		super("The register does not know the company");
	}

}
