package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * All executions from their claim to their settlement, kept by claim and not by job: a
 * map entry for each of a hundred thousand jobs a second would be the largest cost of the
 * pool. Thread-safe.
 */
final class InFlight {

	private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

	/**
	 * Note a claim, before any of its executions can start.
	 * @param executions what was claimed
	 * @return the claim
	 */
	Claim add(List<? extends Execution> executions) {
		Claim claim = new Claim(executions);
		int place = 0;
		for (Execution execution : executions) {
			execution.claim = claim;
			execution.place = place++;
		}
		this.claims.add(claim);
		return claim;
	}

	/**
	 * Forget a claim, because none of its executions will start.
	 * @param claim the claim
	 */
	void remove(Claim claim) {
		this.claims.remove(claim);
	}

	/**
	 * Note that a job is settled.
	 * @param execution its execution
	 */
	void settled(Execution execution) {
		Claim claim = execution.claim;
		if (claim == null || !execution.settledOne()) {
			return;
		}
		if (execution.isSettled()) {
			// A job that runs for hours would keep the arguments of all others of its
			// claim in memory.
			claim.executions[execution.place] = null;
		}
		if (claim.left.decrementAndGet() == 0) {
			this.claims.remove(claim);
		}
	}

	/**
	 * The executions that are not settled.
	 * @return a copy
	 */
	Collection<Execution> all() {
		List<Execution> all = new ArrayList<>();
		for (Claim claim : this.claims) {
			for (Execution execution : claim.executions) {
				if (execution != null && !execution.isSettled()) {
					all.add(execution);
				}
			}
		}
		return all;
	}

	/**
	 * Those of them that were claimed under an identity.
	 * @param worker the identity
	 * @return a copy
	 */
	List<Execution> under(long worker) {
		return all().stream().filter((execution) -> execution.worker() == worker).toList();
	}

	/**
	 * The ids of all jobs that were claimed under an identity.
	 * @param worker the identity
	 * @return the ids
	 */
	Set<Long> idsUnder(long worker) {
		Set<Long> ids = new HashSet<>();
		under(worker).forEach((execution) -> ids.addAll(execution.ids()));
		return ids;
	}

	boolean isEmpty() {
		return this.claims.isEmpty();
	}

	/**
	 * What one claim brought, less what is settled.
	 */
	static final class Claim {

		final @Nullable Execution[] executions;

		private final AtomicInteger left = new AtomicInteger();

		private Claim(List<? extends Execution> executions) {
			this.executions = executions.toArray(new Execution[0]);
			for (Execution execution : executions) {
				this.left.addAndGet(execution.size());
			}
		}

	}

}
