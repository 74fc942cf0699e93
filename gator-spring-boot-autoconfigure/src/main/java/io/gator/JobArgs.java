package io.gator;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The arguments of one job among many, for handlers that take none or more than one.
 * Immutable if its values are; equal to another one with equal values.
 *
 * <pre>
 * jobs.dispatchMany(Remind.class, List.of(args(1, "fr"), args(2, "de")));
 * </pre>
 *
 * @see JobOperations#dispatchMany(Class, java.util.Collection)
 */
public final class JobArgs {

	private final List<@Nullable Object> values;

	private JobArgs(List<@Nullable Object> values) {
		this.values = values;
	}

	/**
	 * Hold the arguments of one job together.
	 * @param values the arguments, without the {@link JobContext}; a lone {@code null} is
	 * one argument
	 * @return the arguments
	 */
	public static JobArgs args(@Nullable Object... values) {
		// In Java a lone null is taken for the array.
		@Nullable Object[] each = (values != null) ? values.clone() : new @Nullable Object[] { null };
		return new JobArgs(Collections.<@Nullable Object>unmodifiableList(Arrays.<@Nullable Object>asList(each)));
	}

	/**
	 * The arguments in the order of the handler's parameters.
	 * @return an unmodifiable list
	 */
	public List<@Nullable Object> values() {
		return this.values;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof JobArgs that && this.values.equals(that.values);
	}

	@Override
	public int hashCode() {
		return this.values.hashCode();
	}

	/**
	 * How many there are. Not the values, which may be confidential.
	 */
	@Override
	public String toString() {
		return this.values.size() + " arguments";
	}

}
