package io.gator.leads.imports;

/**
 * A line that could not be taken in.
 *
 * @param line the number of the line in its file, from 1
 * @param reason what is wrong with it
 */
public record MalformedLine(int line, String reason) {

	@Override
	public String toString() {
		return "line " + this.line + ": " + this.reason;
	}

}
