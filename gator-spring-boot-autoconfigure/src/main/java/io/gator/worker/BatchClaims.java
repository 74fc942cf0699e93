package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.gator.routing.Route;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.StoreException;

/**
 * Claims the batches of buffered jobs, as many at once of each job as it allows. Used by
 * the poller.
 */
final class BatchClaims {

	/**
	 * How many claims of a call may bring only items that go back. Another version of the
	 * application, which knows another key, may be giving the same items back as well.
	 */
	private static final int MAX_FRUITLESS = 10;

	private final JobStore store;

	private final BatchKeys keys;

	private final AttemptServices services;

	private final String pool;

	private final BatchLines lines;

	private final LongSupplier clock;

	private long turns;

	/**
	 * Create the claims of a pool.
	 * @param services what batches need
	 * @param pool the name of the pool
	 * @param lines the lines of its buffered jobs
	 * @param clock the monotonic time
	 */
	BatchClaims(AttemptServices services, String pool, BatchLines lines, LongSupplier clock) {
		this.store = services.store();
		this.keys = new BatchKeys(this.store, services.codec());
		this.services = services;
		this.pool = pool;
		this.lines = lines;
		this.clock = clock;
	}

	/**
	 * Claim the batches that are ready, as many as may run beside those that already do.
	 * They need no room that single jobs have left: behind a backlog of single jobs there
	 * would never be any. A call claims no more than that though batches may end
	 * meanwhile: quick ones would keep the poller from single jobs, from pauses and from
	 * its end.
	 * @param worker the identity to claim under
	 * @param queues the queues that are served
	 * @param taker takes the batches of each claim, before the next one can fail; never
	 * more in all than there are slots
	 * @return how many batches were claimed
	 */
	int claim(long worker, List<String> queues, Consumer<List<Batch>> taker) {
		if (queues.isEmpty()) {
			// While no queue is served no look is owed, or the poller would not sleep.
			this.lines.oweNothing();
			return 0;
		}
		int claimed = 0;
		int fruitless = 0;
		int most = this.lines.most();
		long begin = this.clock.getAsLong();
		while (claimed < most) {
			// By the time at which the call began: a pause that has begun since then is
			// not over, however short it is.
			List<BatchLine> open = this.lines.open().stream().filter((line) -> !line.isPaused(begin)).toList();
			if (open.isEmpty()) {
				return claimed;
			}
			this.lines.moveMarks(queues, open);
			if (this.lines.untilMarked() > 0) {
				break;
			}
			BatchClaim claim = claimFrom(worker, queues, open, most - claimed);
			claimed += claim.batches().size();
			if (!claim.batches().isEmpty()) {
				hand(claim.batches(), taker);
			}
			claim.findOutWhy((expected) -> this.store.lookForBatches(request(worker, queues, expected, 0)));
			if (claim.gaveBack() && claim.batches().isEmpty() && ++fruitless == MAX_FRUITLESS) {
				break;
			}
		}
		// Some batches may have ended meanwhile. Those that run will say so when they
		// end.
		this.lines.open().forEach(BatchLine::owe);
		return claimed;
	}

	private BatchClaim claimFrom(long worker, List<String> queues, List<BatchLine> open, int most) {
		long start = this.clock.getAsLong();
		try {
			return claimOnce(worker, queues, open, Math.min(most, this.lines.free()));
		}
		catch (StoreException | OutOfMemoryError ex) {
			open.forEach((line) -> line.failed(ex));
			if (ex instanceof StoreException store && store.isTimeout()) {
				Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
				open.forEach((line) -> line.brokenOff(queues, elapsed));
			}
			throw ex;
		}
	}

	/**
	 * Count the batches once all of them are created; if nobody takes them, stop counting
	 * them.
	 */
	private void hand(List<Batch> batches, Consumer<List<Batch>> taker) {
		batches.forEach(Batch::tellBegin);
		try {
			taker.accept(batches);
		}
		catch (Throwable ex) {
			batches.forEach(Batch::tellEnd);
			throw ex;
		}
	}

	/**
	 * Claim as many batches of each job, or one of each of the first.
	 * @param most the most batches in all
	 */
	private BatchClaim claimOnce(long worker, List<String> queues, List<BatchLine> open, int most) {
		long start = this.clock.getAsLong();
		int share = Math.max(1, most / open.size());
		List<BatchClaim.Asked> asked = open.stream()
			.map((line) -> new BatchClaim.Asked(line, line.isExpected(start), line.ask(queues, share, start)))
			.toList();
		List<List<ClaimedJob>> claimed = this.store.claimBatches(request(worker, queues, asked, most));
		Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
		this.services.metrics().claimed(this.pool, items(claimed), elapsed.nanos());
		Map<BatchLine, List<List<ClaimedJob>>> byLine = byLine(claimed, open);
		int answered = answered(open, byLine.keySet(), most);
		boolean gaveBack = giveBackOtherKeys(byLine);
		List<Batch> batches = new ArrayList<>();
		List<BatchClaim.Asked> missed = new ArrayList<>();
		for (BatchClaim.Asked each : asked.subList(0, answered)) {
			BatchLine line = each.line();
			List<List<ClaimedJob>> items = byLine.getOrDefault(line, List.of());
			line.claimed(queues, items, elapsed);
			if (!items.isEmpty()) {
				line.takesTurn(++this.turns);
				items.forEach((batch) -> batches.add(new Batch(this.services, batch, line.route(), worker,
						elapsed.end(), this.lines.counter(line))));
			}
			else if (!gaveBack) {
				missed.add(each);
			}
		}
		return new BatchClaim(batches, missed, gaveBack, elapsed);
	}

	private BatchRequest request(long worker, List<String> queues, List<BatchClaim.Asked> asked, int total) {
		return new BatchRequest(worker, queues, this.lines.dueAfter(),
				asked.stream().map(BatchClaim.Asked::request).toList(), total);
	}

	/**
	 * Leave items of one key in each batch.
	 * @return whether other items went back, so that another claim finds them
	 */
	private boolean giveBackOtherKeys(Map<BatchLine, List<List<ClaimedJob>>> byLine) {
		boolean gaveBack = false;
		for (Map.Entry<BatchLine, List<List<ClaimedJob>>> each : byLine.entrySet()) {
			if (each.getKey().hasKey()) {
				List<List<ClaimedJob>> batches = each.getValue();
				each.setValue(ofOneKey(each.getKey().route(), batches));
				gaveBack |= items(each.getValue()) < items(batches);
			}
		}
		return gaveBack;
	}

	private List<List<ClaimedJob>> ofOneKey(Route route, List<List<ClaimedJob>> batches) {
		return batches.stream()
			.map((batch) -> this.keys.regroupIfMixed(route, batch))
			.filter((batch) -> !batch.isEmpty())
			.toList();
	}

	private static int items(Collection<List<ClaimedJob>> batches) {
		return batches.stream().mapToInt(List::size).sum();
	}

	private static Map<BatchLine, List<List<ClaimedJob>>> byLine(List<List<ClaimedJob>> batches,
			List<BatchLine> lines) {
		Map<String, BatchLine> byName = new HashMap<>();
		lines.forEach((line) -> line.names().forEach((name) -> byName.put(name, line)));
		return batches.stream()
			.collect(Collectors.groupingBy((batch) -> Objects.requireNonNull(byName.get(batch.get(0).name())),
					HashMap::new, Collectors.toCollection(ArrayList::new)));
	}

	/**
	 * How many of the lines a claim says something about. A claim that brought as many
	 * batches as it was asked for ended with the last of them, and the lines behind may
	 * have a batch that is ready as well: they are looked at when a batch ends and frees
	 * a slot.
	 */
	private static int answered(List<BatchLine> open, Set<BatchLine> claimed, int most) {
		int answered = open.size();
		while (claimed.size() >= most && !claimed.contains(open.get(answered - 1))) {
			answered--;
		}
		return answered;
	}

}
