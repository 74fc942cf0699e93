package io.gator.insight;

import java.util.List;
import java.util.Map;

import io.gator.store.QueueCount;
import io.gator.store.TableFacts;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one moment.
 *
 * @param countedAt when the queues were counted, on this process's monotonic clock
 * @param queues the queues, by name
 * @param rates how fast jobs come and go in the cluster, by queue
 * @param table how the table is; {@code null} before it was looked at
 * @param hotShare the share of the updates since the look before that touched no index;
 * without such updates the last known share, {@code NaN} if there never was one
 */
public record Figures(long countedAt, List<QueueCount> queues, Map<String, Rate> rates, @Nullable TableFacts table,
		double hotShare) {

	static final Figures NONE = new Figures(System.nanoTime(), List.of(), Map.of(), null, Double.NaN);

	/**
	 * Create the figures of a moment.
	 */
	public Figures {
		queues = List.copyOf(queues);
		rates = Map.copyOf(rates);
	}

	/**
	 * Whether anything was counted at all.
	 * @return whether there are figures
	 */
	public boolean isKnown() {
		return this.table != null;
	}

	/**
	 * How old the counts are.
	 * @return seconds; {@code NaN} if nothing was counted yet
	 */
	public double ageSeconds() {
		return isKnown() ? (System.nanoTime() - this.countedAt) / 1e9 : Double.NaN;
	}

	/**
	 * How fast jobs of a queue come and go.
	 * @param queue the queue
	 * @return the rate in the cluster
	 */
	public Rate rate(String queue) {
		return this.rates.getOrDefault(queue, Rate.NONE);
	}

}
