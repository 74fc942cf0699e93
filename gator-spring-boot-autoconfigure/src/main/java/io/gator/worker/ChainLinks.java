package io.gator.worker;

import io.gator.JobDispatchException;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.ClaimedJob;
import io.gator.store.JobMetadata;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes of a job's metadata what follows it in its chain.
 */
final class ChainLinks {

	private static final Logger logger = LoggerFactory.getLogger(ChainLinks.class);

	private ChainLinks() {
	}

	/**
	 * The link that follows a success.
	 * @param job the job that succeeded
	 * @param result what its handler returned
	 * @param routes the handlers that are known here
	 * @param codec writes the arguments
	 * @return the link, or {@code null} at the end of the chain
	 */
	static Settlement.@Nullable Link afterSuccess(ClaimedJob job, @Nullable Object result, Routes routes,
			ArgsCodec codec) {
		return link(new JobMetadata(job.metadata()).next(), job.args(), result, routes, codec);
	}

	/**
	 * The job that makes good for a dead link.
	 * @param job the dead job
	 * @param routes the handlers that are known here
	 * @param codec writes the arguments
	 * @return the link, or {@code null} if there is none
	 */
	static Settlement.@Nullable Link afterDeath(ClaimedJob job, Routes routes, ArgsCodec codec) {
		return link(new JobMetadata(job.metadata()).onError(), job.args(), null, routes, codec);
	}

	private static Settlement.@Nullable Link link(JobMetadata.@Nullable Follower follower, String given,
			@Nullable Object result, Routes routes, ArgsCodec codec) {
		if (follower == null) {
			return null;
		}
		String queue = follower.link().queue();
		String name = follower.link().name();
		String metadata = follower.metadata().json();
		Route route = routes.find(name);
		if (route == null) {
			return new Settlement.Link(queue, name, given, null, metadata);
		}
		String args = codec.encodeNext(route, given, result);
		return new Settlement.Link(queue, name, args, batchKey(route, args, codec), metadata);
	}

	/** Its predecessor is over, so there is nobody left to refuse the value to. */
	private static @Nullable String batchKey(Route route, String args, ArgsCodec codec) {
		try {
			return codec.batchKey(route, args);
		}
		catch (JobDispatchException ex) {
			logger.warn("A link of a chain goes to a batch without a key: {}", ex.getMessage());
			return null;
		}
	}

}
