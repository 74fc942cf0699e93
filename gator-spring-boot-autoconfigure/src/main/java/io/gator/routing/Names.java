package io.gator.routing;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The form of the names of jobs and queues. They travel into rows, metrics, notifications
 * and URLs, hence the narrow form.
 */
public final class Names {

	/**
	 * The form, as a regular expression.
	 */
	public static final String FORM = "[A-Za-z0-9][A-Za-z0-9._:-]{0,127}";

	private static final Pattern PATTERN = Pattern.compile(FORM);

	private Names() {
	}

	/**
	 * Tell whether a name has the form.
	 * @param name the name of a job or a queue
	 * @return whether it may be used
	 */
	public static boolean isValid(@Nullable String name) {
		return name != null && PATTERN.matcher(name).matches();
	}

}
