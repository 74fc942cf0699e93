package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimedJob;
import org.jspecify.annotations.Nullable;

/**
 * The line of the items of one buffered job, in all queues: how far it was claimed, how
 * much of it is claimed at once and how many of its batches run. Used by the poller; the
 * methods that tell of batches that end, by the threads of their slots.
 */
final class BatchLine {

	/**
	 * How long the pause after a look for nothing is at least: a process that dispatches
	 * one by one must not cause a look for each job.
	 */
	static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Route route;

	private final BufferSpec spec;

	private final Set<String> names;

	private final AtomicInteger running = new AtomicInteger();

	private final Reach reach;

	private final Marks marks;

	/**
	 * Instead of the marks where items have a key; otherwise {@code null}. The same as
	 * the common ones if there is no other buffered job.
	 */
	private final @Nullable KeyedMarks keyedMarks;

	/** The marks of all buffered jobs, used as long as their claims are slow. */
	private final KeyedMarks common;

	private final Portion portion;

	/** The number of its last batch, among those of all jobs. */
	private long turn;

	private final MaxWait maxWait;

	/** The pause after a look for nothing. */
	private final ClaimPause pause = new ClaimPause(PAUSE_NANOS, 0);

	/** Whether a look for a batch is due as soon as the job may have one. */
	private volatile boolean owed;

	BatchLine(Route route, BufferSpec spec, Reach reach, KeyedMarks common) {
		this.route = route;
		this.reach = reach;
		this.marks = new Marks(reach);
		this.common = common;
		this.spec = spec;
		this.portion = new Portion(spec);
		this.maxWait = new MaxWait(spec.maxWait());
		this.names = route.names();
		this.keyedMarks = hasKey() ? common.of(this.names) : null;
	}

	Route route() {
		return this.route;
	}

	/**
	 * The names under which its items stand in the table.
	 * @return the name of the job and its aliases
	 */
	Set<String> names() {
		return this.names;
	}

	long turn() {
		return this.turn;
	}

	/**
	 * Whether the job may have another batch.
	 * @return {@code false} if as many run as it allows
	 */
	boolean isOpen() {
		return free() > 0;
	}

	/**
	 * How many batches the job may have beside those that run.
	 * @return the number; 0 or less if there may be none
	 */
	int free() {
		return this.spec.maxConcurrent() - this.running.get();
	}

	boolean hasKey() {
		return this.spec.key() != null;
	}

	/**
	 * Note that it is its turn to have a batch.
	 * @param turn the number of the batch, among those of all jobs
	 */
	void takesTurn(long turn) {
		this.turn = turn;
		this.pause.brought();
		// A batch is seldom alone.
		owe();
	}

	/**
	 * Count a batch that may run from now on.
	 */
	void begun() {
		this.running.incrementAndGet();
	}

	/**
	 * Note that one of its batches has ended.
	 * @return whether there could be no other one as long as it ran
	 */
	boolean ended() {
		return this.running.getAndDecrement() >= this.spec.maxConcurrent();
	}

	/**
	 * Note that there may be items that were not there before.
	 */
	void woken(long now) {
		this.maxWait.woken(now);
		allKeyedMarks().forEach(KeyedMarks::woken);
		owe();
	}

	/**
	 * Note that there may be a batch.
	 */
	void owe() {
		this.owed = true;
	}

	/**
	 * Forget what is owed.
	 */
	void owesNothing(long now) {
		this.owed = false;
		this.maxWait.looked(now);
		allKeyedMarks().forEach(KeyedMarks::owesNothing);
	}

	/**
	 * How long until a look is due: one that is owed, the one that finds items which have
	 * waited long enough for others, or the one with the sweep that finds what has
	 * appeared behind the marks.
	 * @return nanoseconds; {@link Long#MAX_VALUE} if none is
	 */
	long untilLook(long now) {
		long until = this.owed ? 0 : Math.min(this.maxWait.untilLook(now), untilSweep(now));
		return (until < Long.MAX_VALUE) ? Math.max(until, this.pause.until(now)) : until;
	}

	private long untilSweep(long now) {
		return allKeyedMarks().mapToLong((marks) -> marks.untilSweep(now)).min().orElse(Long.MAX_VALUE);
	}

	private Stream<KeyedMarks> allKeyedMarks() {
		return (this.keyedMarks != null) ? Stream.of(this.keyedMarks, this.common) : Stream.of(this.common);
	}

	/**
	 * Whether a look for nothing was so short a while ago that there is none now.
	 * @return whether it is left out of claims
	 */
	boolean isPaused(long now) {
		return this.pause.until(now) > 0;
	}

	/**
	 * Note that a claim brought nothing, and that there was nothing for it.
	 * @param elapsed when it ran
	 */
	void missed(Elapsed elapsed) {
		this.portion.foundNothing();
		this.pause.begin(elapsed);
	}

	/**
	 * Note that a claim brought nothing though there is a batch. Others were taking its
	 * items, and may leave enough for a batch, or all of them.
	 * @param elapsed when it ran
	 */
	void missedReady(Elapsed elapsed) {
		this.pause.beginContended(elapsed);
		owe();
	}

	/**
	 * Note that a claim brought nothing, but that there are more items than it has looked
	 * at. With a key there may be a batch among them.
	 * @param elapsed when it ran
	 */
	void missedMore(Elapsed elapsed) {
		if (this.portion.lookFurther()) {
			owe();
		}
		else {
			missed(elapsed);
		}
	}

	/**
	 * Whether there is a reason to expect a batch, apart from the time since the last
	 * look.
	 * @return whether somebody woke the pool, a batch ended or items have waited
	 */
	boolean isExpected(long now) {
		return this.owed || this.maxWait.untilLook(now) <= 0;
	}

	void retain(Set<String> queues) {
		this.marks.retain(queues);
		if (this.keyedMarks != null) {
			this.keyedMarks.retain(queues);
		}
	}

	void sweepIfDue(long now) {
		this.marks.sweepIfDue(now);
	}

	void sweepSoon() {
		this.marks.sweepSoon();
	}

	/**
	 * Look behind the marks with the next claim, which is due as soon as the job may have
	 * one.
	 */
	void sweepNow(long now) {
		this.marks.sweepNow(now);
		owe();
	}

	long untilAllIsSeen(long then, long now) {
		// Sweeps of keyed marks may be far apart, and other jobs wait for the same poll,
		// so they have looks of their own.
		return (this.keyedMarks != null) ? 0 : this.marks.untilAllIsSeen(then, now);
	}

	/**
	 * Move the marks of items with a key, if there is a reason to. It takes a statement
	 * of its own.
	 * @param queues the queues that are served
	 */
	void moveMarks(Collection<String> queues) {
		if (this.keyedMarks != null) {
			this.keyedMarks.moveIfDue(queues);
		}
	}

	/**
	 * The id after which items are looked for.
	 * @param queue the queue
	 * @return the id; 0 for the beginning
	 */
	long after(String queue) {
		long own = (this.keyedMarks != null) ? Math.max(this.reach.afterId(), this.keyedMarks.after(queue))
				: this.marks.after(queue);
		return Math.max(own, this.common.after(queue));
	}

	/**
	 * What to ask for.
	 * @param queues the queues that are served
	 * @param most how many batches at most
	 * @return its part of a claim
	 */
	BatchRequest.Buffered ask(List<String> queues, int most, long now) {
		// A look that is owed from here on is for the next claim.
		this.owed = false;
		sweepIfDue(now);
		this.portion.choose(Math.min(most, free()));
		return new BatchRequest.Buffered(this.names, this.portion.size(), this.portion.batches(), this.spec.maxWait(),
				this.portion.window(), hasKey(), queues.stream().map(this::after).toList());
	}

	/**
	 * Note what a claim brought.
	 * @param queues the queues of the claim
	 * @param batches the items of each batch
	 * @param elapsed when it ran
	 */
	void claimed(Collection<String> queues, List<List<ClaimedJob>> batches, Elapsed elapsed) {
		List<ClaimedJob> items = batches.stream().flatMap(List::stream).toList();
		seen(queues, items, this.portion.claimed(batches, items), elapsed);
	}

	/**
	 * Note that a look saw no item, which says nothing about the size of claims.
	 * @param queues the queues of the look
	 * @param elapsed when it ran
	 */
	void sawNothing(Collection<String> queues, Elapsed elapsed) {
		seen(queues, List.of(), false, elapsed);
	}

	private void seen(Collection<String> queues, List<ClaimedJob> items, boolean full, Elapsed elapsed) {
		Map<String, List<ClaimedJob>> byQueue = items.stream().collect(Collectors.groupingBy(ClaimedJob::queue));
		this.maxWait.looked(elapsed.start());
		allKeyedMarks().forEach((marks) -> marks.ended(elapsed));
		if (advance(queues, byQueue, full, elapsed) && allKeyedMarks().noneMatch(KeyedMarks::areUsed)) {
			this.reach.walked(elapsed);
		}
	}

	/**
	 * Note how far a claim has come.
	 * @return whether it was a sweep, as each claim of items with a key is as long as no
	 * marks are used
	 */
	private boolean advance(Collection<String> queues, Map<String, List<ClaimedJob>> byQueue, boolean full,
			Elapsed elapsed) {
		if (this.keyedMarks != null) {
			byQueue.forEach(this.keyedMarks::claimed);
			return true;
		}
		for (String queue : queues) {
			this.marks.claimed(queue, byQueue.getOrDefault(queue, List.of()), full, elapsed.end());
		}
		return this.marks.ended(full, elapsed);
	}

	/**
	 * Note that a claim failed.
	 * @param failure why
	 */
	void failed(Throwable failure) {
		this.portion.failed(failure);
	}

	/**
	 * Note that a claim or a look took longer than a statement may.
	 * @param queues the queues that it asked for
	 * @param elapsed when it ran
	 */
	void brokenOff(Collection<String> queues, Elapsed elapsed) {
		this.portion.brokenOff();
		allKeyedMarks().forEach((marks) -> marks.brokenOff(elapsed));
		this.marks.brokenOff(queues, elapsed);
		this.pause.beginBrokenOff(elapsed);
	}

}
