package io.gator.worker;

import java.util.List;

import io.gator.store.ClaimedJob;
import io.gator.store.StoreException;

/**
 * How much a claim may ask for. A claim whose answer does not fit into memory, or does
 * not come in time, would fail again and again, so the next one asks for an eighth. As
 * long as claims bring all that they ask for, each asks for twice as much as the one
 * before, but from then on never for more jobs of the size seen lately than a share of
 * the heap holds. Used by the poller.
 */
final class ClaimSize {

	/**
	 * By how much a claim that failed is divided: few steps down, because each costs a
	 * pause; the way up is the slower one.
	 */
	private static final int STEP = 8;

	/**
	 * How many bytes count for each character: arguments are read as bytes before they
	 * are text, and both are held for a while.
	 */
	private static final int BYTES_PER_CHARACTER = 2;

	private static final int SHARE_OF_HEAP = 8;

	private static final long LEAST_BYTES = 4L << 20;

	private final long bytes;

	/** How many bytes the arguments of one job take. */
	private double bytesEach = 1;

	private int most = Integer.MAX_VALUE;

	ClaimSize() {
		this(Math.max(LEAST_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
	}

	/**
	 * Create the size of the claims of one kind.
	 * @param bytes how much memory the arguments of jobs that do not run yet may take
	 */
	ClaimSize(long bytes) {
		this.bytes = bytes;
	}

	/**
	 * How much to ask for.
	 * @param wanted how much would be asked for if nothing had failed
	 * @return as much or less, at least 1
	 */
	int limit(int wanted) {
		return Math.min(wanted, this.most);
	}

	/**
	 * How many jobs of the size seen lately its share of the heap holds.
	 * @return the number; 0 if it does not hold even one
	 */
	int fitting() {
		return (int) Math.min(Integer.MAX_VALUE, this.bytes / this.bytesEach);
	}

	/**
	 * Note that a claim failed.
	 * @param asked how much it asked for
	 * @param failure why; not all failures have to do with the size
	 */
	void failed(int asked, Throwable failure) {
		boolean tooMuch = failure instanceof OutOfMemoryError
				|| failure instanceof StoreException ex && ex.mayBeTooMuch();
		if (tooMuch) {
			this.most = Math.max(1, asked / STEP);
		}
	}

	/**
	 * Note that a claim was answered.
	 * @param asked how much it asked for
	 * @param jobs what it brought
	 */
	void answered(int asked, List<ClaimedJob> jobs) {
		if (!jobs.isEmpty()) {
			measure(jobs);
		}
		if (this.most < Integer.MAX_VALUE) {
			// A claim that brought less does not tell whether all would have fitted.
			long next = (jobs.size() >= asked) ? 2L * this.most : this.most;
			this.most = (int) Math.max(1, Math.min(next, fitting()));
		}
	}

	/** Larger jobs count at once, smaller ones bit by bit, because these may be few. */
	private void measure(List<ClaimedJob> jobs) {
		long sum = 0;
		for (ClaimedJob job : jobs) {
			sum += job.args().length();
		}
		double mean = (double) BYTES_PER_CHARACTER * sum / jobs.size();
		this.bytesEach = Math.max(1, Math.max(mean, (this.bytesEach + mean) / 2));
	}

}
