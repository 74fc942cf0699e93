package io.gator.metrics;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives the first so many names back as they are, and one name for all others, so that
 * made-up names make no meters. Thread-safe.
 */
public final class BoundedNames {

	/**
	 * Stands for all that are too many.
	 */
	public static final String OTHER = "other";

	private final int most;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	/**
	 * Create bounded names.
	 * @param most how many
	 * @param first those that have a place before all others
	 */
	public BoundedNames(int most, Collection<String> first) {
		this.most = most;
		first.forEach(this::of);
	}

	/**
	 * What to call it.
	 * @param name the name
	 * @return the name, or {@value #OTHER}
	 */
	public String of(String name) {
		// Asked for each job: adding what is there takes a lock.
		if (this.names.contains(name)) {
			return name;
		}
		if (this.names.size() >= this.most) {
			return OTHER;
		}
		this.names.add(name);
		return name;
	}

}
