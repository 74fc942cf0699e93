package io.gator.admin;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import io.gator.JobAdmin;
import io.gator.JobInfo;
import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.QueueInfo;
import io.gator.RecurringInfo;
import io.gator.WorkerInfo;
import io.gator.routing.ArgsCodec;
import io.gator.routing.DueTimes;
import io.gator.routing.Names;
import io.gator.store.AdminStore;
import io.gator.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Administers what is in the store.
 */
public final class StoreJobAdmin implements JobAdmin {

	private static final Logger logger = LoggerFactory.getLogger(StoreJobAdmin.class);

	/**
	 * How many dead jobs a statement takes: enough to be quick, and not so many that it
	 * holds many rows for long. A chunk that is not full is the last one: while jobs go
	 * on dying there might never be an empty chunk.
	 */
	private static final int CHUNK = 1_000;

	private final AdminStore store;

	private final ArgsCodec codec;

	private final Consumer<Collection<String>> wakeUp;

	private final Runnable changed;

	/**
	 * Create an admin.
	 * @param store where the jobs are
	 * @param codec reads results
	 * @param wakeUp told which queues have work again
	 * @param changed told when pools of this process are to ask what has changed
	 */
	public StoreJobAdmin(AdminStore store, ArgsCodec codec, Consumer<Collection<String>> wakeUp, Runnable changed) {
		this.store = store;
		this.codec = codec;
		this.wakeUp = wakeUp;
		this.changed = changed;
	}

	@Override
	public Optional<JobInfo> find(long id) {
		return this.store.find(id).map((job) -> new StoredJobInfo(job, this.codec));
	}

	@Override
	public List<JobInfo> list(JobQuery query) {
		return this.store.list(query).stream().<JobInfo>map((job) -> new StoredJobInfo(job, this.codec)).toList();
	}

	@Override
	public boolean cancel(long id) {
		AdminStore.Cancellation found = this.store.cancel(id);
		if (found == AdminStore.Cancellation.ASKED) {
			announce();
		}
		return found != AdminStore.Cancellation.NOTHING;
	}

	@Override
	public boolean retry(long id) {
		return wake(this.store.retry(id));
	}

	@Override
	public boolean reschedule(long id, Instant time) {
		if (!DueTimes.isValid(time)) {
			throw new IllegalArgumentException("The time of job " + id + " is " + time + ", but " + DueTimes.RULE);
		}
		return wake(this.store.reschedule(id, DueTimes.storable(time)));
	}

	private boolean wake(Optional<String> queue) {
		queue.ifPresent((name) -> this.wakeUp.accept(Set.of(name)));
		return queue.isPresent();
	}

	@Override
	public boolean discard(long id) {
		return this.store.discard(id);
	}

	@Override
	public long retryAll(JobQuery query) {
		JobQuery chunk = dead(query);
		long total = 0;
		List<AdminStore.Retried> some;
		do {
			some = this.store.retrySome(chunk);
			Set<String> queues = new HashSet<>();
			for (AdminStore.Retried job : some) {
				String queue = job.queue();
				if (queue != null) {
					queues.add(queue);
					total++;
				}
				// Only greater ids from here on: a job that has died again meanwhile is
				// not retried a second time.
				chunk = chunk.after(Math.max(chunk.after(), job.id()));
			}
			if (!queues.isEmpty()) {
				this.wakeUp.accept(queues);
			}
		}
		while (some.size() == CHUNK);
		return total;
	}

	@Override
	public long discardAll(JobQuery query) {
		JobQuery chunk = dead(query);
		long total = 0;
		List<AdminStore.Discarded> some;
		do {
			some = this.store.discardSome(chunk);
			for (AdminStore.Discarded job : some) {
				chunk = chunk.after(Math.max(chunk.after(), job.id()));
				total += job.done() ? 1 : 0;
			}
		}
		while (some.size() == CHUNK);
		return total;
	}

	private static JobQuery dead(JobQuery query) {
		if (query.state() != JobState.DEAD) {
			throw new IllegalArgumentException(
					"Only dead jobs can be retried or discarded by filter, not " + query.state() + " ones");
		}
		return query.limit(CHUNK).after(0);
	}

	@Override
	public void pause(String queue) {
		this.store.pause(valid(queue));
		announce();
	}

	@Override
	public void resume(String queue) {
		this.store.resume(valid(queue));
		announce();
	}

	private static String valid(String queue) {
		if (!Names.isValid(queue)) {
			throw new IllegalArgumentException(
					"'" + queue + "' is not a valid queue name; it must match " + Names.FORM);
		}
		return queue;
	}

	/**
	 * Tells pools at once what they would learn with their next beat at the latest.
	 */
	private void announce() {
		// The others first: they hear of it even if a beat of an own pool fails.
		quietly(this.store::notifyChange);
		quietly(this.changed);
	}

	private static void quietly(Runnable announcement) {
		try {
			announcement.run();
		}
		catch (StoreException ex) {
			logger.debug("The pools could not be notified at once: {}", ex.getMessage());
		}
	}

	@Override
	public List<QueueInfo> queues() {
		return this.store.queues();
	}

	@Override
	public List<WorkerInfo> workers() {
		return this.store.workers();
	}

	@Override
	public List<RecurringInfo> recurring() {
		return this.store.recurring();
	}

}
