package io.gator.metrics;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives back the first names as they are, up to a number, and one name for all others, so
 * that made-up names make no meters. Thread-safe.
 */
public final class BoundedNames {

	/**
	 * Stands for all names beyond that number.
	 */
	public static final String OTHER = "other";

	private final int most;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	/**
	 * Create bounded names.
	 * @param most how many names at most
	 * @param first names that have a place before all others
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
		// Called for each job: adding a name that is there already would take a lock.
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
