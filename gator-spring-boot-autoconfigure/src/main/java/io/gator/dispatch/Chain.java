package io.gator.dispatch;

import java.util.ArrayList;
import java.util.List;

import io.gator.JobChain;
import io.gator.JobDispatchException;
import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.store.JobMetadata.Link;
import io.gator.store.JobMetadata.Takes;
import org.jspecify.annotations.Nullable;

/**
 * A chain being put together.
 *
 * @param dispatcher what will dispatch it
 * @param links its jobs, at least one
 * @param onError the job for a dead link, if any
 */
record Chain(Dispatcher dispatcher, List<Route> links, @Nullable Route onError) implements JobChain {

	@Override
	public JobChain then(Class<?> next) {
		Route route = follower(next);
		Route last = this.links.get(this.links.size() - 1);
		if (!route.mayFollow(last)) {
			throw new JobDispatchException("Job '" + route.name() + "' cannot follow '" + last.name()
					+ "' in a chain: its handler takes neither what that returns nor the same arguments.");
		}
		List<Route> longer = new ArrayList<>(this.links);
		longer.add(route);
		return new Chain(this.dispatcher, List.copyOf(longer), this.onError);
	}

	@Override
	public JobChain onError(Class<?> compensation) {
		return new Chain(this.dispatcher, this.links, follower(compensation));
	}

	/**
	 * Find the route of a job that follows. It must not be unique: a dispatch of a unique
	 * job may return a live job instead of adding one. A link is added by the statement
	 * that settles its predecessor, and the chain could not go on from a job that is
	 * there already.
	 */
	private Route follower(Class<?> job) {
		Route route = this.dispatcher.route(job);
		if (route.unique() != null) {
			throw new JobDispatchException("Job '" + route.name() + "' is @Unique and cannot follow in a chain: where "
					+ "its key is taken the chain could not go on. Let it be the first job, or dispatch it in the "
					+ "handler of the job before it.");
		}
		return route;
	}

	@Override
	public long dispatch(@Nullable Object... args) {
		Route onError = this.onError;
		if (onError != null) {
			this.links.forEach((link) -> check(onError, link));
		}
		Target first = this.dispatcher.target(this.links.get(0));
		return this.dispatcher.dispatch(first, followers(), (onError != null) ? onErrorLink(onError) : null, args);
	}

	private List<Link> followers() {
		List<Link> followers = new ArrayList<>(this.links.size() - 1);
		for (int i = 1; i < this.links.size(); i++) {
			Route next = this.links.get(i);
			followers.add(link(next, takes(next, this.links.get(i - 1))));
		}
		return followers;
	}

	private static Takes takes(Route next, Route predecessor) {
		if (next.mayTakeResultOf(predecessor)) {
			return Takes.RESULT;
		}
		return (next.argCount() == 0 && predecessor.argCount() > 0) ? Takes.NONE : Takes.ARGUMENTS;
	}

	// NONE, even if the handler of the link takes nothing either: the link may be dead
	// just because there are arguments in its row.
	private static Link onErrorLink(Route onError) {
		return link(onError, (onError.argCount() == 0) ? Takes.NONE : Takes.ARGUMENTS);
	}

	// Any link may die, and the onError job gets its arguments.
	private static void check(Route onError, Route link) {
		String reason = onError.whyNotArgumentsOf(link);
		if (reason != null) {
			throw new JobDispatchException(
					"Job '" + onError.name() + "' cannot be the onError job of the chain: it gets the "
							+ "arguments of the dead link, but " + reason + ".");
		}
	}

	private static Link link(Route route, Takes takes) {
		BufferSpec buffered = route.buffered();
		return new Link(route.name(), route.queue(), takes, (buffered != null) ? buffered.key() : null);
	}

}
