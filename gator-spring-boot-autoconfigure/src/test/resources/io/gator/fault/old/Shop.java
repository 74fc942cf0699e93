package io.gator.fault;

import java.time.Duration;
import java.util.Map;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobTemplate;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The old version of an application.
 */
@Configuration(proxyBeanMethods = false)
class Shop {

	@Bean
	Dispatching dispatching(JobTemplate jobs, Journal journal) {
		return new Dispatching(journal,
				Map.of("Ship", () -> jobs.dispatch(Ship.class, new Order(1)), "SendMail",
						() -> jobs.dispatch(SendMail.class, "old"), "Fax",
						() -> jobs.to(Fax.class).delay(Duration.ofSeconds(1)).dispatch()));
	}

	record Order(int version) {

	}

	/** Known to both, with a field less. */
	@Job
	static class Ship {

		private final Journal journal;

		Ship(Journal journal) {
			this.journal = journal;
		}

		void handle(Order order, JobContext job) throws Exception {
			FaultWorker.run(this.journal, job, () -> Thread.sleep(order.version()));
		}

	}

	/** Has another name in the next version. */
	@Job
	static class SendMail {

		private final Journal journal;

		SendMail(Journal journal) {
			this.journal = journal;
		}

		void handle(String text, JobContext job) throws Exception {
			FaultWorker.run(this.journal, job, () -> Thread.sleep(1));
		}

	}

	/** Not in the next version any more. */
	@Job
	static class Fax {

		private final Journal journal;

		Fax(Journal journal) {
			this.journal = journal;
		}

		void handle(JobContext job) throws Exception {
			FaultWorker.run(this.journal, job, () -> Thread.sleep(1));
		}

	}

}
