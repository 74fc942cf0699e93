package io.gator.worker;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Marks that are told what claims brought, at explicit times.
 */
abstract class AbstractMarksTests {

	/** Monotonic time may begin anywhere. */
	static final long START = -5_000_000_000L;

	static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	final FakeJobStore store = new FakeJobStore();

	final Reach reach = new Reach("test", this.store);

	final Marks marks = new Marks(this.reach);

	static ClaimedJob ready(long id) {
		return due(id, Double.NaN);
	}

	static ClaimedJob due(long id, double dueAt) {
		return TestClaimedJob.of(id, "Work").queue("a").dueAt(dueAt).get();
	}

	static List<ClaimedJob> readyUpTo(long id) {
		return LongStream.rangeClosed(Math.max(1, id - 9), id).mapToObj(AbstractMarksTests::ready).toList();
	}

	ClaimRequest.Share share(String queue) {
		return this.marks.share(queue, 10);
	}

	void sweep(int second, long lastId) {
		long now = START + second * SECOND;
		this.marks.begin(now);
		assertThat(share("a").after()).as("a sweep").isZero();
		this.marks.claimed("a", List.of(), false, new JobStore.Ends(50, Map.of("a", lastId)), now);
		this.marks.ended(false, new Elapsed(now, now));
	}

	/** A claim that fills its quota and takes a while, and whether it swept. */
	boolean claim(long now, long nanos) {
		this.marks.sweepIfDue(now);
		boolean sweeps = share("a").after() == 0;
		this.marks.claimed("a", readyUpTo(10), true, now + nanos);
		this.marks.ended(true, new Elapsed(now, now + nanos));
		return sweeps;
	}

}
