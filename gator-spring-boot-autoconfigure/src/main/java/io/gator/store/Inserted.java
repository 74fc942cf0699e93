package io.gator.store;

import java.util.List;

/**
 * What came of inserting jobs.
 *
 * @param ids the ids in the order given; where a unique key was taken, that of the live
 * job which has it
 * @param added the ids of those that are new, in the same order
 */
public record Inserted(List<Long> ids, List<Long> added) {

	static Inserted all(List<Long> ids) {
		return new Inserted(ids, ids);
	}

}
