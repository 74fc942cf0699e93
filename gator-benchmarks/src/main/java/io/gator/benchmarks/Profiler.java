package io.gator.benchmarks;

import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

/**
 * Profiles what it is told to, while a run asks for it.
 */
final class Profiler {

	private static @Nullable Path directory;

	private static int number;

	private Profiler() {
	}

	/**
	 * Say where profiles go from now on.
	 * @param into a directory, or {@code null} for no profiles
	 */
	static void into(@Nullable Path into) {
		directory = into;
	}

	/**
	 * Do something, and profile it where that is wanted.
	 * @param <T> the type of its result
	 * @param name its name
	 * @param database the server whose sessions are looked at
	 * @param work what is done
	 * @return its result
	 * @throws Exception what it throws
	 */
	static <T> T profile(String name, Database database, Callable<T> work) throws Exception {
		Path into = directory;
		if (into == null) {
			return work.call();
		}
		Profile profile = Profile.start(into, name + "-" + ++number, database);
		try {
			return work.call();
		}
		finally {
			profile.stop();
		}
	}

}
