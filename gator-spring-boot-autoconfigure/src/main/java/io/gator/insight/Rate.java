package io.gator.insight;

/**
 * How fast jobs come and go.
 *
 * @param in jobs dispatched in a second
 * @param out jobs that ended in a second, whichever way
 */
public record Rate(double in, double out) {

	/** Nothing moves. */
	public static final Rate NONE = new Rate(0, 0);

	/**
	 * This and another one together.
	 * @param other the other one
	 * @return the sum
	 */
	public Rate plus(Rate other) {
		return new Rate(this.in + other.in, this.out + other.out);
	}

}
