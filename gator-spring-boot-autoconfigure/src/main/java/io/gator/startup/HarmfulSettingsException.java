package io.gator.startup;

import java.util.List;

/**
 * Settings do harm, and the application is configured not to start then.
 */
public class HarmfulSettingsException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient List<String> findings;

	HarmfulSettingsException(List<String> findings) {
		super(String.join(" ", findings));
		this.findings = findings;
	}

	/**
	 * What is wrong.
	 * @return the findings, each with what to do
	 */
	public List<String> findings() {
		return this.findings;
	}

}
