package io.gator.leads.imports;

/**
 * A file that has no leads in it, as its first line shows.
 */
public class LeadFileException extends RuntimeException {

	LeadFileException(String message) {
		super(message);
	}

}
