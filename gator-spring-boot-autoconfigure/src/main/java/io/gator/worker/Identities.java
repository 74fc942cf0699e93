package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/**
 * The identities of a pool that live: the one under which it claims, and those under
 * which it claims no more, which beat as long as jobs run under them. Thread-safe.
 */
final class Identities {

	private final List<Identity> former = new CopyOnWriteArrayList<>();

	private volatile @Nullable Identity current;

	/**
	 * The one to claim under.
	 * @return the identity, or {@code null} if another one is to be taken
	 */
	@Nullable Identity current() {
		return this.current;
	}

	/**
	 * Those under which nothing is claimed any more.
	 * @return the identities; may be changed meanwhile
	 */
	List<Identity> former() {
		return this.former;
	}

	/**
	 * All that live.
	 * @return the identities
	 */
	List<Identity> all() {
		// Read in the order opposite to that of replace(), or an identity could be
		// missed.
		Identity identity = this.current;
		List<Identity> all = new ArrayList<>(this.former);
		if (identity != null && !all.contains(identity)) {
			all.add(identity);
		}
		return all;
	}

	/**
	 * Claim under an identity from now on.
	 * @param identity the identity
	 */
	synchronized void take(Identity identity) {
		this.current = identity;
	}

	/**
	 * Claim no more under an identity.
	 * @param identity the current one; if it has been dropped since, nothing is to be
	 * done
	 */
	synchronized void replace(Identity identity) {
		if (this.current == identity) {
			// In this order: at every moment it is known to live.
			this.former.add(identity);
			this.current = null;
		}
	}

	/**
	 * Take back an identity that was dropped.
	 * @param identity the identity, under which nothing is claimed any more
	 */
	void keep(Identity identity) {
		this.former.add(identity);
	}

	/**
	 * Forget one that does not live any more.
	 * @param identity the identity
	 */
	synchronized void drop(Identity identity) {
		if (this.current == identity) {
			this.current = null;
		}
		this.former.remove(identity);
	}

	/**
	 * The one with an id, if it lives.
	 * @param id the id
	 * @return the identity, or {@code null}
	 */
	@Nullable Identity find(long id) {
		for (Identity identity : all()) {
			if (identity.id == id) {
				return identity;
			}
		}
		return null;
	}

}
