package io.gator.leads.imports;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One file that was taken in.
 *
 * @param id the id
 * @param source the name of the file
 * @param imported how many leads it brought
 * @param malformed how many lines could not be taken in
 * @param startedAt when that was, on the database's clock
 * @param finishedAt when the import was through, {@code null} before
 */
public record LeadImport(long id, String source, int imported, int malformed, Instant startedAt,
		@Nullable Instant finishedAt) {

	/**
	 * How long it took until the import was through.
	 * @return the time, zero before
	 */
	public Duration took() {
		return (this.finishedAt != null) ? Duration.between(this.startedAt, this.finishedAt) : Duration.ZERO;
	}

}
