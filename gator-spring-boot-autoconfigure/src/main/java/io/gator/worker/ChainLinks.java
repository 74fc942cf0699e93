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
 * Makes the link that follows a job in its chain from the metadata of that job.
 * Thread-safe.
 */
final class ChainLinks {

	private static final Logger logger = LoggerFactory.getLogger(ChainLinks.class);

	private final Routes routes;

	private final ArgsCodec codec;

	/**
	 * Create the maker of links.
	 * @param routes the handlers that are known here
	 * @param codec writes the arguments
	 */
	ChainLinks(Routes routes, ArgsCodec codec) {
		this.routes = routes;
		this.codec = codec;
	}

	/**
	 * The link that follows a success.
	 * @param job the job that succeeded
	 * @param ran its handler
	 * @param result what that returned
	 * @return the link, or {@code null} at the end of the chain
	 */
	Settlement.@Nullable NextJob afterSuccess(ClaimedJob job, Route ran, @Nullable Object result) {
		return link(new JobMetadata(job.metadata()).next(), job, ran, result);
	}

	/**
	 * The job that compensates for a dead link.
	 * @param job the dead job
	 * @param ran its handler
	 * @return the link, or {@code null} if there is none
	 */
	Settlement.@Nullable NextJob afterDeath(ClaimedJob job, Route ran) {
		return link(new JobMetadata(job.metadata()).onError(), job, ran, null);
	}

	private Settlement.@Nullable NextJob link(JobMetadata.@Nullable Follower follower, ClaimedJob job, Route ran,
			@Nullable Object result) {
		if (follower == null) {
			return null;
		}
		JobMetadata.Link link = follower.link();
		Route route = this.routes.find(link.name());
		String args = (route != null) ? this.codec.encodeNext(route, job.args(), result)
				: encode(link, job, ran, result);
		return new Settlement.NextJob(link.queue(), link.name(), args, batchKey(link, route, args),
				follower.metadata().json());
	}

	/**
	 * The handler of the link is in another process; the process that dispatched the
	 * chain knew it, and has written down what it takes.
	 */
	private String encode(JobMetadata.Link link, ClaimedJob job, Route ran, @Nullable Object result) {
		return switch (link.takes()) {
			case ARGUMENTS -> job.args();
			case RESULT -> (result != null) ? this.codec.encodeNext(link.name(), ran, result) : job.args();
			case NONE -> "[]";
		};
	}

	/**
	 * The predecessor is over, so a value that makes no key cannot be refused any more.
	 */
	private @Nullable String batchKey(JobMetadata.Link link, @Nullable Route route, String args) {
		try {
			if (route != null) {
				return this.codec.batchKey(route, args);
			}
			String property = link.key();
			return (property != null) ? this.codec.batchKey(link.name(), property, args) : null;
		}
		catch (Exception ex) {
			logger.warn("The job {}, a link of a chain, goes to a batch without a key: {}", link.name(),
					(ex instanceof JobDispatchException) ? ex.getMessage() : ex.getClass().getName());
			return null;
		}
	}

}
