package io.gator.maintenance;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task again and again, for as long as its thread lives. An executor drops a task
 * that throws, without a word, and where there is no memory, or a message cannot be read,
 * telling of an error throws as well: pools would beat no more.
 */
final class Repeat {

	private Repeat() {
	}

	/**
	 * Run a task after each pause.
	 * @param pause before the first run, and from the end of each to the next
	 * @param task the task, which tells of its errors itself
	 * @param thread where it runs
	 */
	static void after(Duration pause, Runnable task, ScheduledExecutorService thread) {
		thread.scheduleWithFixedDelay(() -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				// It has told of it, as far as that is possible.
			}
		}, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
	}

}
