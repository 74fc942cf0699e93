package io.gator.maintenance;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task again and again, for as long as its thread lives. An executor silently
 * drops a task that throws. When there is no memory, or a message cannot be read, even
 * the logging of an error throws: then pools would beat no more.
 */
final class Repeat {

	private Repeat() {
	}

	/**
	 * Run a task after each pause.
	 * @param pause before the first run, and from the end of each to the next
	 * @param task the task, which logs its errors itself
	 * @param thread where it runs
	 */
	static void after(Duration pause, Runnable task, ScheduledExecutorService thread) {
		thread.scheduleWithFixedDelay(() -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				// The task has logged it, as far as that is possible.
			}
		}, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
	}

}
