package io.gator.fault;

import java.util.Map;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobTemplate;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The next version of an application.
 */
@Configuration(proxyBeanMethods = false)
class Shop {

	@Bean
	Dispatching dispatching(JobTemplate jobs, Journal journal) {
		return new Dispatching(journal,
				Map.of("Ship", () -> jobs.dispatch(Ship.class, new Order(2, "by express")), "SendLetter",
						() -> jobs.dispatch(SendLetter.class, "next"), "Gift", () -> jobs.dispatch(Gift.class)));
	}

	record Order(int version, String note) {

		/** The old version does not know of notes. */
		boolean isWhole() {
			return (this.version == 1) ? this.note == null : "by express".equals(this.note);
		}

	}

	/** Known to both, with a field more. */
	@Job
	static class Ship {

		private final Journal journal;

		Ship(Journal journal) {
			this.journal = journal;
		}

		void handle(Order order, JobContext job) throws Exception {
			FaultWorker.run(this.journal, job, () -> {
				if (!order.isWhole()) {
					throw new IllegalStateException(order.toString());
				}
				Thread.sleep(order.version());
			});
		}

	}

	/** Had another name. */
	@Job(aliases = "SendMail")
	static class SendLetter {

		private final Journal journal;

		SendLetter(Journal journal) {
			this.journal = journal;
		}

		void handle(String text, JobContext job) throws Exception {
			FaultWorker.run(this.journal, job, () -> Thread.sleep(1));
		}

	}

	/** Not in the old version. */
	@Job
	static class Gift {

		private final Journal journal;

		Gift(Journal journal) {
			this.journal = journal;
		}

		void handle(JobContext job) throws Exception {
			FaultWorker.run(this.journal, job, () -> Thread.sleep(1));
		}

	}

}
