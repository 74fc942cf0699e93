package io.gator.benchmarks;

import java.util.List;

/**
 * What scenarios have in common.
 *
 * @param database where all happens
 * @param scale how much of the full size
 * @param contestants the beginnings of the names of those who take part; empty for all
 */
record Benchmark(Database database, Scale scale, List<String> contestants) {

	/** The slots of a pool by default. */
	static final int CONCURRENCY = 10;

	/** Prepare the tables of all contestants in an empty schema. */
	void createTables() throws Exception {
		new GatorTables(this.database).create();
		new DbScheduler(this.database).create();
		new JobRunrPeer(this.database, CONCURRENCY).create();
	}

	List<Contestant> takingPart(List<Contestant> all) {
		return all.stream().filter((contestant) -> takesPart(contestant.name())).toList();
	}

	boolean takesPart(String name) {
		return this.contestants.isEmpty() || this.contestants.stream().anyMatch(name::startsWith);
	}

}
