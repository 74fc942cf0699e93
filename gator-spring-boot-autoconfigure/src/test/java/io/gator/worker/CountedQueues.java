package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.LookRequest;

/**
 * Queues with as many jobs as a test says, and where each was last asked for.
 */
final class CountedQueues extends FakeJobStore {

	Map<String, Integer> waiting = Map.of();

	final Map<String, Long> starts = new HashMap<>();

	String args = "[]";

	/** How much the claims asked for. */
	final List<Integer> totals = new ArrayList<>();

	/** Where lost jobs were looked for. */
	final List<Long> looks = new ArrayList<>();

	long lastPage;

	/** How many lost jobs a look finds. */
	int released;

	/** What happens before a claim is answered. */
	Runnable onClaim = () -> {
	};

	/** What happens before the pool hears when the next job is due. */
	Runnable onNextDue = () -> {
	};

	/** What happens before the pool hears where queues end. */
	Runnable onEnds = () -> {
	};

	/** The queues whose ends were asked for. */
	final List<String> endsAsked = new ArrayList<>();

	/** How many jobs of each queue were claimed. */
	final Map<String, Long> given = new HashMap<>();

	CountedQueues() {
		this.claimNanos = TimeUnit.MILLISECONDS.toNanos(1);
	}

	@Override
	public SearchStep releaseLost(long worker, Collection<Long> known, long page) {
		this.looks.add(page);
		failIfTold();
		return new SearchStep(this.released, 0, (page < this.lastPage) ? page + 1 : 0);
	}

	@Override
	public NextDue nextDue(Collection<String> names, Collection<String> queues, double since) {
		this.onNextDue.run();
		return super.nextDue(names, queues, since);
	}

	@Override
	public Set<LookRequest> look(List<LookRequest> requests) {
		takeTime();
		requests.stream()
			.flatMap((request) -> request.queues().stream())
			.forEach((share) -> this.starts.put(share.queue(), share.after()));
		return Set.of();
	}

	@Override
	public List<ClaimedJob> claim(ClaimRequest request) {
		this.onClaim.run();
		this.totals.add(request.total());
		failIfTold();
		takeTime();
		List<ClaimedJob> claimed = new ArrayList<>();
		for (ClaimRequest.Share share : request.queues()) {
			this.starts.put(share.queue(), share.after());
			for (int i = 0; i < share.quota() && claimed.size() < request.total() && hasMore(share.queue()); i++) {
				claimed.add(job(share.queue()));
			}
		}
		return claimed;
	}

	@Override
	public Ends ends(Collection<String> queues, long after) {
		this.endsAsked.addAll(queues);
		this.onEnds.run();
		return Ends.UNKNOWN;
	}

	ClaimedJob job(String queue) {
		return TestClaimedJob.of(this.given.merge(queue, 1L, Long::sum), "Work").queue(queue).args(this.args).get();
	}

	private boolean hasMore(String queue) {
		return this.given.getOrDefault(queue, 0L) < this.waiting.getOrDefault(queue, 0);
	}

}
