package io.gator.worker;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;

import io.gator.routing.ArgsCodec;
import io.gator.routing.Routes;
import io.gator.store.JobStore;
import org.jspecify.annotations.Nullable;

/**
 * What attempts need, in whichever pool of the process.
 *
 * @param routes the handlers
 * @param codec reads arguments and writes results
 * @param links makes what follows a job in its chain
 * @param calls the hooks around handlers
 * @param store claims and settles
 * @param transactions the transactions of {@code transactional} jobs, if the application
 * has them
 * @param metrics counts
 * @param timer runs what is due at some time; never anything that blocks
 */
record AttemptServices(Routes routes, ArgsCodec codec, ChainLinks links, HandlerCalls calls, JobStore store,
		@Nullable TransactionalCalls transactions, WorkerMetrics metrics, ScheduledExecutorService timer) {

	/**
	 * The names of the jobs that are run one by one.
	 * @return names and aliases of all but buffered jobs
	 */
	Set<String> singleNames() {
		Set<String> names = new HashSet<>();
		this.routes.all()
			.stream()
			.filter((route) -> route.buffered() == null)
			.forEach((route) -> names.addAll(route.names()));
		return names;
	}

}
