package io.gator.routing;

import java.time.Duration;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;

/**
 * Reads the texts of annotations: placeholders, durations, names.
 */
final class Texts {

	private final Environment environment;

	Texts(Environment environment) {
		this.environment = environment;
	}

	/**
	 * Resolve the placeholders of a text.
	 * @param place where it stands, for messages
	 * @param text the text
	 * @return the text without placeholders
	 */
	String resolve(String place, String text) {
		try {
			return this.environment.resolveRequiredPlaceholders(text).strip();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidJobException(
					"%s is '%s', which has a placeholder that nothing resolves.".formatted(place, text),
					"Set the property, or give the placeholder a default: ${property:default}.");
		}
	}

	/**
	 * Read a duration.
	 * @param place where it stands, for messages
	 * @param text the text, resolved
	 * @return the duration, not negative
	 */
	static Duration duration(String place, String text) {
		Duration duration = parse(place, text);
		if (duration.isNegative()) {
			throw new InvalidJobException("%s is '%s', which is negative.".formatted(place, text),
					"Give a duration of zero or more, such as '30s' or 'PT5M'.");
		}
		return duration;
	}

	/**
	 * Read a duration that cannot be zero.
	 * @param place where it stands, for messages
	 * @param text the text, resolved
	 * @return the duration, greater than zero
	 */
	static Duration positiveDuration(String place, String text) {
		Duration duration = parse(place, text);
		if (duration.isNegative() || duration.isZero()) {
			throw new InvalidJobException("%s is '%s', which is not greater than zero.".formatted(place, text),
					"Give a duration such as '30s' or 'PT5M'.");
		}
		return duration;
	}

	/**
	 * Check a name.
	 * @param place where it stands, for messages
	 * @param name the name, resolved
	 * @return the name
	 */
	static String name(String place, String name) {
		if (!Names.isValid(name)) {
			throw new InvalidJobException("%s is '%s', which is not of the form %s.".formatted(place, name, Names.FORM),
					"Use letters, digits and . _ : - only, a letter or a digit first, at most 128 characters.");
		}
		return name;
	}

	private static Duration parse(String place, String text) {
		try {
			// A number without a unit could mean anything.
			if (!text.isEmpty() && !Character.isDigit(text.charAt(text.length() - 1))) {
				Duration duration = DurationStyle.detectAndParse(text);
				if (duration.compareTo(RetryRule.MAX_DELAY) <= 0) {
					return duration;
				}
			}
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			// said below
		}
		throw new InvalidJobException("%s is '%s', which is not a duration.".formatted(place, text),
				"Give a number and a unit, such as '500ms', '30s', '5m', '2h' or '1d', or ISO-8601 such as 'PT5M'.");
	}

}
