package io.gator.insight;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.gator.store.ErrorText;
import io.gator.store.InsightStore;
import io.gator.store.QueueCount;
import io.gator.store.StoreException;
import io.gator.store.TableFacts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Keeps the figures about the whole. Thread-safe; can be started again after a stop.
 */
public final class Insight implements SmartLifecycle {

	/** At most how many queues are counted. */
	private static final int MAX_QUEUES = 1_000;

	/** Who reloads a page more often sees the same figures again. */
	private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final Logger logger = LoggerFactory.getLogger(Insight.class);

	private final InsightStore store;

	private final Rates rates;

	private final Duration interval;

	private final String process = UUID.randomUUID().toString();

	private final List<Consumer<Figures>> listeners = new CopyOnWriteArrayList<>();

	private final Object lifecycle = new Object();

	private final LongSupplier nanoTime;

	/** One at a time counts the queues for those who look. */
	private final Object looking = new Object();

	/** When the last count for somebody who looked was over. */
	private @Nullable Long lookedAt;

	/** What the last one has seen who looked. */
	private Figures seen = Figures.NONE;

	private volatile Figures figures = Figures.NONE;

	private @Nullable ScheduledExecutorService thread;

	private boolean failing;

	/**
	 * Create an insight.
	 * @param store answers
	 * @param rates what comes and goes in this process
	 * @param interval how often to ask
	 */
	public Insight(InsightStore store, Rates rates, Duration interval) {
		this(store, rates, interval, System::nanoTime);
	}

	Insight(InsightStore store, Rates rates, Duration interval, LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.store = store;
		this.rates = rates;
		this.interval = interval;
	}

	/**
	 * The last figures. Asks nobody.
	 * @return the figures
	 */
	public Figures figures() {
		return this.figures;
	}

	/**
	 * Figures for somebody who looks at them: the queues are counted anew, unless that
	 * was tried just now. If they cannot be counted, their last counts are shown. Nobody
	 * else hears of these counts: the figures of the meters, and their age, are those of
	 * the whole cluster.
	 * @return the figures
	 */
	public Figures recent() {
		synchronized (this.looking) {
			long now = this.nanoTime.getAsLong();
			Long last = this.lookedAt;
			if (last == null || now - last > RECENT_NANOS) {
				try {
					this.seen = look();
				}
				finally {
					// Also if it fails: those who look next must not wait for it again.
					// Where it takes long, those who waited see what it has found.
					this.lookedAt = this.nanoTime.getAsLong();
				}
			}
			Figures known = this.figures;
			return (this.seen.countedAt() - known.countedAt() > 0) ? this.seen : known;
		}
	}

	private Figures look() {
		Figures last = this.figures;
		try {
			long counted = System.nanoTime();
			List<QueueCount> queues = this.store.count(MAX_QUEUES);
			return new Figures(counted, queues, last.rates(), last.table(), last.hotShare());
		}
		catch (StoreException ex) {
			logger.debug("The queues could not be counted; their last counts are shown", ex);
			return last;
		}
	}

	/**
	 * Hear of new figures.
	 * @param listener called after each refresh
	 */
	public void onRefresh(Consumer<Figures> listener) {
		this.listeners.add(listener);
	}

	/**
	 * Refresh the figures. If the queues cannot be counted, their last counts stay, and
	 * all else is new.
	 * @return the new figures
	 */
	synchronized Figures runOnce() {
		InsightStore.Shared shared = this.store.exchange(this.process,
				FiguresJson.ofRates(this.rates.read(System.nanoTime())), this.interval);
		long now = System.nanoTime();
		Map<String, Rate> all = new HashMap<>();
		shared.processes().forEach((facts) -> FiguresJson.addRates(facts, all));
		long known = now - (long) (shared.age() * 1e9);
		if (!shared.turn()) {
			TableFacts table = FiguresJson.table(shared.cluster());
			return refreshed(known, FiguresJson.queues(shared.cluster()), all, table);
		}
		// Looked at before the count: it shows what may keep the count from ending in
		// time, such as an old snapshot.
		TableFacts table = this.store.table();
		long counted = System.nanoTime();
		List<QueueCount> queues;
		try {
			queues = this.store.count(MAX_QUEUES);
		}
		catch (StoreException ex) {
			List<QueueCount> last = FiguresJson.queues(shared.cluster());
			this.store.publish(FiguresJson.ofCounts(last, table), (System.nanoTime() - known) / 1e9);
			refreshed(known, last, all, table);
			throw ex;
		}
		this.store.publish(FiguresJson.ofCounts(queues, table), (System.nanoTime() - counted) / 1e9);
		return refreshed(counted, queues, all, table);
	}

	private Figures refreshed(long countedAt, List<QueueCount> queues, Map<String, Rate> rates,
			@Nullable TableFacts table) {
		Figures after = new Figures(countedAt, queues, rates, table, hotShare(this.figures, table));
		this.figures = after;
		this.listeners.forEach((listener) -> listener.accept(after));
		return after;
	}

	private static double hotShare(Figures before, @Nullable TableFacts now) {
		TableFacts then = before.table();
		if (now == null || then == null) {
			return (now != null && now.updates() > 0) ? now.hotUpdates() / now.updates() : Double.NaN;
		}
		double updates = now.updates() - then.updates();
		return (updates > 0) ? (now.hotUpdates() - then.hotUpdates()) / updates : before.hotShare();
	}

	private void refresh() {
		try {
			runOnce();
			this.failing = false;
		}
		catch (Throwable ex) {
			if (!this.failing) {
				this.failing = true;
				tell(ex);
			}
		}
	}

	private static void tell(Throwable failure) {
		try {
			logger.warn("The figures about the queues are not refreshed for now: {}", ErrorText.messageOf(failure));
		}
		catch (Throwable ex) {
			// The executor would drop a refresh that throws, and never call it again.
		}
	}

	@Override
	public void start() {
		synchronized (this.lifecycle) {
			if (this.thread == null) {
				CustomizableThreadFactory threads = new CustomizableThreadFactory("gator-insight-");
				threads.setDaemon(true);
				ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(threads);
				started.scheduleWithFixedDelay(this::refresh, 0, this.interval.toNanos(), TimeUnit.NANOSECONDS);
				this.thread = started;
			}
		}
	}

	@Override
	public void stop() {
		synchronized (this.lifecycle) {
			ScheduledExecutorService stopped = this.thread;
			if (stopped == null) {
				return;
			}
			this.thread = null;
			stopped.shutdown();
			try {
				// Not longer: the last figures are worth nothing.
				stopped.awaitTermination(1, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public boolean isRunning() {
		synchronized (this.lifecycle) {
			return this.thread != null;
		}
	}

}
