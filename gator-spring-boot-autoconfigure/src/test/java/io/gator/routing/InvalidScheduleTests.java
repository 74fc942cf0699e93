package io.gator.routing;

import io.gator.Job;
import io.gator.Recurring;
import org.junit.jupiter.api.Test;

/**
 * Mistakes in recurring jobs that fail start-up.
 */
class InvalidScheduleTests {

	@Test
	void aRecurringJobThatTakesArgumentsIsRefused() {
		Failure.of(RecurringWithArguments.class)
			.describes(RecurringWithArguments.class.getName(), "@Recurring", "takes arguments")
			.advises("only a JobContext");
	}

	@Test
	void aCronExpressionThatCannotBeReadOrNeverComesIsRefused() {
		Failure.of(BadCron.class)
			.describes(BadCron.class.getName(), "The cron expression", "'every day'", "not a valid cron expression")
			.advises("six fields");
		Failure.of(Never.class).describes(Never.class.getName(), "'0 0 0 30 2 *'", "never comes");
	}

	@Test
	void aZoneThatDoesNotExistIsRefused() {
		Failure.of(BadZone.class).describes(BadZone.class.getName(), "'Mars/Olympus'", "not a time zone");
	}

	@Test
	void anIntervalThatIsNoPositiveDurationIsRefused() {
		Failure.of(BadEvery.class).describes(BadEvery.class.getName(), "(every)", "'now and then'");
		Failure.of(ZeroEvery.class).describes("'0s'", "not greater than zero");
	}

	@Test
	void neitherOrBothOfCronAndEveryIsRefused() {
		Failure.of(Neither.class)
			.describes(Neither.class.getName(), "neither cron nor every")
			.advises("'-' switches it off");
		Failure.of(Both.class).describes(Both.class.getName(), "both cron and every");
	}

	@Job
	@Recurring(every = "5m")
	static class RecurringWithArguments {

		void handle(String text) {
		}

	}

	@Job
	@Recurring(cron = "every day")
	static class BadCron {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "0 0 0 30 2 *")
	static class Never {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "0 0 3 * * *", zone = "Mars/Olympus")
	static class BadZone {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "now and then")
	static class BadEvery {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "0s")
	static class ZeroEvery {

		void handle() {
		}

	}

	@Job
	@Recurring
	static class Neither {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "0 0 3 * * *", every = "5m")
	static class Both {

		void handle() {
		}

	}

}
