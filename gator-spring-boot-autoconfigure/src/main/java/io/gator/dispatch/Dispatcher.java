package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.gator.DispatchSpec;
import io.gator.Job;
import io.gator.JobChain;
import io.gator.JobDispatchException;
import io.gator.JobListener;
import io.gator.JobOperations;
import io.gator.dispatch.Transactions.Way;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Names;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.DispatchStore;
import io.gator.store.Inserted;
import io.gator.store.JobMetadata;
import io.gator.store.NewArgs;
import io.gator.store.NewJob;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * Dispatches jobs into the database, as the documentation of this package describes.
 * Thread-safe.
 */
public final class Dispatcher implements JobOperations {

	private static final Logger logger = LoggerFactory.getLogger(Dispatcher.class);

	private final DispatchStore store;

	private final Routes routes;

	private final Encoder encoder;

	private final Transactions transactions;

	private final Writer writer = new Writer();

	private final QueueRegistrar queues;

	private final AfterCommit afterCommit;

	private final @Nullable DispatchObserver observer;

	/**
	 * Create a dispatcher.
	 * @param dataSource the application's {@code DataSource}, whose transactions are
	 * joined
	 * @param manager supplies the transaction manager of the {@code DataSource}, if it is
	 * known; not called before there are transactions
	 * @param store writes the rows
	 * @param routes the jobs of this application
	 * @param codec writes their arguments
	 * @param hooks told of what was committed
	 * @param listeners told of each job that was committed; looked up with the first
	 * dispatch, because listeners may dispatch themselves
	 * @param observer watches dispatches, if anything does
	 */
	public Dispatcher(DataSource dataSource, Supplier<@Nullable PlatformTransactionManager> manager,
			DispatchStore store, Routes routes, ArgsCodec codec, List<DispatchHook> hooks,
			Iterable<JobListener> listeners, @Nullable DispatchObserver observer) {
		this.store = store;
		this.routes = routes;
		this.encoder = new Encoder(codec);
		this.transactions = new Transactions(dataSource, manager);
		this.queues = new QueueRegistrar(store);
		this.afterCommit = new AfterCommit(hooks, listeners);
		this.observer = observer;
	}

	@Override
	public DispatchSpec to(Class<?> job) {
		return new Specification(this, target(route(job)));
	}

	@Override
	public DispatchSpec to(String jobName) {
		if (!Names.isValid(jobName)) {
			throw new JobDispatchException(
					"'" + jobName + "' is not a valid name of a job; it must match " + Names.FORM + ".");
		}
		Route route = this.routes.find(jobName);
		String queue = (route != null) ? route.queue() : Job.DEFAULT_QUEUE;
		return new Specification(this, new Target(jobName, route, queue, null, null, null));
	}

	@Override
	public JobChain chain(Class<?> first) {
		return new Chain(this, List.of(route(first)), null);
	}

	Route route(Class<?> job) {
		if (job == null) {
			throw new JobDispatchException("The class of the job is null.");
		}
		return this.routes.require(job);
	}

	Target target(Route route) {
		return new Target(route.name(), route, route.queue(), null, null, null);
	}

	long dispatch(Target target, List<JobMetadata.Link> chain, JobMetadata.@Nullable Link onError,
			@Nullable Object @Nullable [] args) {
		return observe(target, 1, (headers) -> {
			NewArgs encoded = this.encoder.encode(target, args);
			NewJob job = target.newJob(JobMetadata.of(headers, chain, onError));
			Way way = begin(target);
			Inserted inserted = this.writer.write(way, "dispatch of job '" + target.name() + "'", false,
					(connection) -> this.store.insert(connection, job, encoded));
			Long id = inserted.ids().get(0);
			if (inserted.added().isEmpty()) {
				logger.debug("Job {} ({}) has the unique key already, nothing was added", id, target.name());
				return id;
			}
			logger.debug("Dispatched job {} ({}) to queue {}", id, target.name(), target.queue());
			this.afterCommit.dispatched(way, target.name(), target.queue(), inserted.added());
			return id;
		});
	}

	List<Long> dispatchMany(Target target, Collection<?> each) {
		if (each == null) {
			throw target.refused("the collection of its elements is null");
		}
		if (each.isEmpty()) {
			return List.of();
		}
		if (target.uniqueKey() != null && each.size() > 1) {
			throw target.refused("a unique key would make its " + each.size() + " elements one job; dispatch them one "
					+ "by one with keys of their own, or annotate the job with @Unique");
		}
		return observe(target, each.size(), (headers) -> {
			Bulk bulk = new Bulk(this.encoder, target, each);
			if (bulk.size() == 0) {
				return List.of();
			}
			NewJob job = target.newJob(JobMetadata.of(headers, List.of(), null));
			Way way = begin(target);
			Inserted inserted = this.writer.write(way, "dispatch of " + bulk.size() + " jobs '" + target.name() + "'",
					bulk.takesSeveralStatements(), (connection) -> insert(connection, job, bulk));
			List<Long> added = inserted.added();
			if (added.size() < bulk.size()) {
				logger.debug("Of {} jobs ({}), {} have a unique key that was taken, and were not added", bulk.size(),
						target.name(), bulk.size() - added.size());
			}
			if (!added.isEmpty()) {
				logger.debug("Dispatched {} jobs ({}) to queue {}, from {} to {}", added.size(), target.name(),
						target.queue(), added.get(0), added.get(added.size() - 1));
				this.afterCommit.dispatched(way, target.name(), target.queue(), added);
			}
			return inserted.ids();
		});
	}

	private Inserted insert(Connection connection, NewJob job, Bulk bulk) throws SQLException {
		List<Long> ids = new ArrayList<>(bulk.size());
		List<Long> added = new ArrayList<>(bulk.size());
		for (int i = 0; i < bulk.chunks(); i++) {
			Inserted chunk = this.store.insertMany(connection, job, bulk.chunk(i));
			ids.addAll(chunk.ids());
			added.addAll(chunk.added());
		}
		return bulk.inCallersOrder(new Inserted(ids, added));
	}

	private Way begin(Target target) {
		Way way = this.transactions.find(target);
		this.afterCommit.findListeners();
		this.queues.register(target.queue());
		return way;
	}

	private <T> T observe(Target target, int count, Function<Map<String, String>, T> dispatch) {
		if (this.observer == null) {
			return dispatch.apply(Map.of());
		}
		DispatchObserver.Observed observed = this.observer.begin(target.name(), target.queue(), count);
		Throwable error = null;
		try {
			return dispatch.apply(observed.headers());
		}
		catch (Throwable ex) {
			error = ex;
			throw ex;
		}
		finally {
			observed.end(error);
		}
	}

}
