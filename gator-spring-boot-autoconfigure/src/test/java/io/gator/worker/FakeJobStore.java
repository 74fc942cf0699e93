package io.gator.worker;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.gator.store.BatchRequest;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.LookRequest;
import io.gator.store.Settlement;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.WaitingBatches;

/**
 * A store that takes settlements and does with them what a test says. Used by one thread.
 */
class FakeJobStore implements JobStore {

	/** What was asked for, also where it failed. */
	final List<List<Settlement>> asked = new ArrayList<>();

	/** What was written. */
	final List<List<Settlement>> written = new ArrayList<>();

	/** What the next calls throw, one after the other. */
	final Deque<Throwable> failures = new ArrayDeque<>();

	/** What the next looks for rows that others hold throw. */
	final Deque<Error> errorsOfHeld = new ArrayDeque<>();

	private final AtomicLong now = new AtomicLong(System.nanoTime());

	/** How long a claim takes. */
	long claimNanos;

	/** Ids whose rows others hold. */
	final Set<Long> held = new HashSet<>();

	/** Ids of jobs that are over. */
	final Set<Long> over = new HashSet<>();

	/** What the next looks for jobs that are over throw. */
	final Deque<Throwable> failuresOfLive = new ArrayDeque<>();

	/** Ids that do not match any more. */
	final Set<Long> lost = new HashSet<>();

	/** What was dispatched last. */
	Newest newest = Newest.UNKNOWN;

	/** What the database refuses. */
	Predicate<Settlement> refused = (settlement) -> false;

	/** How it refuses that. */
	Supplier<StoreException> refusal = StoreExceptions::data;

	@Override
	public <S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch) {
		if (batch.isEmpty() || !batch.stream().allMatch(kind::isInstance)) {
			throw new AssertionError("A batch holds one kind");
		}
		this.asked.add(List.copyOf(batch));
		failIfTold();
		if (batch.stream().anyMatch(this.refused)) {
			throw this.refusal.get();
		}
		this.written.add(List.copyOf(batch));
		Set<Long> missed = new HashSet<>(this.lost);
		missed.retainAll(batch.stream().map(Settlement::id).toList());
		return missed;
	}

	@Override
	public Set<Long> live(Collection<Long> ids) {
		failIfTold(this.failuresOfLive);
		failIfTold();
		Set<Long> live = new HashSet<>(ids);
		live.removeAll(this.over);
		return live;
	}

	@Override
	public Set<Long> locked(Collection<Long> ids) {
		Error error = this.errorsOfHeld.poll();
		if (error != null) {
			throw error;
		}
		Set<Long> found = new HashSet<>(this.held);
		found.retainAll(Set.copyOf(ids));
		return found;
	}

	final void failIfTold() {
		failIfTold(this.failures);
	}

	private static void failIfTold(Deque<Throwable> failures) {
		Throwable failure = failures.poll();
		if (failure instanceof RuntimeException ex) {
			throw ex;
		}
		if (failure instanceof Error ex) {
			throw ex;
		}
	}

	/** The monotonic time of those who claim. */
	final long now() {
		return this.now.get();
	}

	final void pass(long nanos) {
		this.now.addAndGet(nanos);
	}

	final void takeTime() {
		pass(this.claimNanos);
	}

	List<Long> writtenIds() {
		return this.written.stream().flatMap(List::stream).map(Settlement::id).toList();
	}

	@Override
	public List<ClaimedJob> claim(ClaimRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<List<ClaimedJob>> claimBatches(BatchRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public WaitingBatches lookForBatches(BatchRequest request) {
		return new WaitingBatches(Set.of(), Set.of());
	}

	@Override
	public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
		return Map.of();
	}

	@Override
	public Set<Long> regroup(List<Regrouped> items) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Set<LookRequest> look(List<LookRequest> requests) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Ends ends(Collection<String> queues, long after) {
		return Ends.UNKNOWN;
	}

	@Override
	public Newest newest() {
		failIfTold();
		return this.newest;
	}

	@Override
	public NextDue nextDue(Collection<String> names, Collection<String> queues, double since) {
		return new NextDue(0, OptionalDouble.empty());
	}

	@Override
	public boolean settle(Connection connection, Settlement.Succeeded success) {
		throw new UnsupportedOperationException();
	}

	@Override
	public SearchStep releaseLost(long worker, Collection<Long> known, long page) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void notifyWork(Collection<String> queues) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Duration statementTimeout() {
		return Duration.ofSeconds(10);
	}

}
