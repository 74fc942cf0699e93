package io.gator.routing;

import java.util.List;

import io.gator.Unique;

/**
 * What makes a {@link Unique} job the same as another.
 *
 * @param args the positions of the arguments that make the key; empty for all of them
 * @param untilStarted whether the key is free again when the job is claimed
 */
public record UniqueSpec(List<Integer> args, boolean untilStarted) {

	/**
	 * Create a specification.
	 * @param args the positions of the arguments that make the key
	 * @param untilStarted whether the key is free again when the job is claimed
	 */
	public UniqueSpec {
		args = List.copyOf(args);
	}

}
