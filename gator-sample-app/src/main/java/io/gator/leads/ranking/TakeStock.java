package io.gator.leads.ranking;

import io.gator.Job;
import io.gator.Recurring;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Writes down now and then how many leads there are and how promising, once in the
 * cluster.
 */
@Job(queue = "low", transactional = true)
@Recurring(every = "${leads.stock-every:10s}")
class TakeStock {

	private final JdbcClient jdbc;

	TakeStock(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	void handle() {
		this.jdbc.sql("insert into stock (leads, scored, best) select count(*), count(score), max(score) from lead")
			.update();
	}

}
