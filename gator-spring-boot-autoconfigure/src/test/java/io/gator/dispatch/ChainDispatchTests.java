package io.gator.dispatch;

import java.util.List;
import java.util.Map;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobChain;
import io.gator.JobDispatchException;
import io.gator.Unique;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class ChainDispatchTests {

	private final DatabaseHandle database;

	private final JobTable table;

	private final Dispatcher jobs;

	ChainDispatchTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		this.jobs = new TestDispatch(Reserve.class, Charge.class, Receipt.class, Refund.class, Note.class, Two.class,
				Book.class, Print.class, Gather.class, Complain.class, Once.class)
			.on(database.hikari(2));
	}

	@Test
	void theFirstJobCarriesTheRest() {
		long id = this.jobs.chain(Reserve.class)
			.then(Charge.class)
			.then(Receipt.class)
			.onError(Complain.class)
			.dispatch(7L);
		assertThat(row(id)).containsEntry("name", "Reserve").containsEntry("queue", "default");
		assertThat(row(id).get("args")).hasToString("[7]");
		assertThat(row(id).get("metadata")).hasToString("{\"chain\":[{\"name\":\"Charge\",\"queue\":\"payments\"},"
				+ "{\"name\":\"Receipt\",\"queue\":\"default\",\"takes\":\"result\"}],"
				+ "\"onError\":{\"name\":\"Complain\",\"queue\":\"payments\"}}");
	}

	@Test
	void aJobWithoutParametersMayFollowAny() {
		long id = this.jobs.chain(Reserve.class).then(Note.class).then(Note.class).onError(Note.class).dispatch(7L);
		assertThat(row(id).get("metadata"))
			.hasToString("{\"chain\":[{\"name\":\"Note\",\"queue\":\"default\",\"takes\":\"none\"},"
					+ "{\"name\":\"Note\",\"queue\":\"default\"}],"
					+ "\"onError\":{\"name\":\"Note\",\"queue\":\"default\",\"takes\":\"none\"}}");
	}

	@Test
	void aBufferedLinkSaysWhichPropertyKeepsItsBatchesApart() {
		long id = this.jobs.chain(Book.class)
			.then(Gather.class)
			.then(Book.class)
			.onError(Gather.class)
			.dispatch(new Order(1));
		assertThat(row(id).get("metadata"))
			.hasToString("{\"chain\":[{\"name\":\"Gather\",\"queue\":\"default\",\"key\":\"id\"},"
					+ "{\"name\":\"Book\",\"queue\":\"default\"}],"
					+ "\"onError\":{\"name\":\"Gather\",\"queue\":\"default\",\"key\":\"id\"}}");
	}

	@Test
	void aChainIsImmutable() {
		JobChain kept = this.jobs.chain(Reserve.class);
		kept.then(Charge.class).onError(Refund.class);
		assertThat(row(kept.dispatch(1L)).get("metadata")).isNull();
	}

	@Test
	void theErrorJobMayBeNamedBeforeTheOtherLinks() {
		long id = this.jobs.chain(Reserve.class).onError(Refund.class).then(Charge.class).dispatch(7L);
		assertThat(row(id).get("metadata")).hasToString("{\"chain\":[{\"name\":\"Charge\",\"queue\":\"payments\"}],"
				+ "\"onError\":{\"name\":\"Refund\",\"queue\":\"payments\"}}");
	}

	@Test
	void aChainOfJobsThatDoNotFitIsRefused() {
		int before = this.table.count("gator_job");
		assertRefused(() -> this.jobs.chain(String.class), "java.lang.String");
		assertRefused(() -> this.jobs.chain(Reserve.class).then(String.class), "java.lang.String");
		assertRefused(() -> this.jobs.chain(Reserve.class).onError(String.class), "java.lang.String");
		assertRefused(() -> this.jobs.chain(Reserve.class).then(Two.class), "'Two' cannot follow 'Reserve'");
		assertRefused(() -> this.jobs.chain(Reserve.class).then(Receipt.class), "'Receipt' cannot follow 'Reserve'");
		assertRefused(() -> this.jobs.chain(Reserve.class).onError(Two.class).dispatch(1L), "'Two'", "onError job",
				"'Reserve'");
		assertRefused(() -> this.jobs.chain(Note.class).onError(Refund.class).dispatch(), "'Refund'", "1 argument",
				"'Note'");
		assertRefused(() -> this.jobs.chain(Reserve.class).then(Charge.class).dispatch("x"), "'Reserve'",
				"argument 0 (order)");
		assertThat(this.table.count("gator_job")).isEqualTo(before);
	}

	@Test
	void anErrorJobThatCannotReadTheArgumentsOfALinkIsRefused() {
		int before = this.table.count("gator_job");
		assertRefused(() -> this.jobs.chain(Note.class).onError(Refund.class).dispatch(),
				"'Refund' cannot be the onError job", "its handler takes 1 argument",
				"that of 'Note' takes 0 arguments");
		assertRefused(
				() -> this.jobs.chain(Reserve.class)
					.then(Charge.class)
					.then(Receipt.class)
					.onError(Refund.class)
					.dispatch(1L),
				"'Refund' cannot be the onError job", "argument 0 (order) of its handler is long",
				"that of 'Receipt' is java.lang.String");
		assertRefused(() -> this.jobs.chain(Book.class).onError(Complain.class).dispatch(new Order(1)),
				"'Complain' cannot be the onError job", "argument 0 (text) of its handler is java.lang.String",
				"that of 'Book' is " + Order.class.getName());
		assertRefused(
				() -> this.jobs.chain(Print.class).then(Receipt.class).onError(Complain.class).dispatch(new Order(1)),
				"'Complain' cannot be the onError job", "that of 'Print' is " + Order.class.getName());
		assertThat(this.table.count("gator_job")).isEqualTo(before);
	}

	@Test
	void onlyTheFirstJobOfAChainMayBeUnique() {
		assertRefused(() -> this.jobs.chain(Reserve.class).then(Once.class), "'Once' is @Unique", "cannot follow");
		assertRefused(() -> this.jobs.chain(Reserve.class).onError(Once.class), "'Once' is @Unique");
		long id = this.jobs.chain(Once.class).then(Reserve.class).dispatch(5L);
		assertThat(this.jobs.chain(Once.class).then(Charge.class).dispatch(5L)).isEqualTo(id);
		assertThat(row(id).get("metadata")).asString().contains("Reserve").doesNotContain("Charge");
	}

	@Test
	void anErrorJobMayReadNumbersAsTexts() {
		long id = this.jobs.chain(Reserve.class)
			.then(Charge.class)
			.then(Receipt.class)
			.onError(Complain.class)
			.dispatch(7L);
		assertThat(row(id).get("metadata")).asString().contains("\"onError\":{\"name\":\"Complain\"");
	}

	private static void assertRefused(ThrowingCallable dispatch, String... texts) {
		assertThatExceptionOfType(JobDispatchException.class).isThrownBy(dispatch)
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(texts));
	}

	private Map<String, Object> row(long id) {
		return this.database.jdbc().sql("select * from gator_job where id = ?").param(id).query().singleRow();
	}

	@Job
	static class Reserve {

		void handle(long order) {
		}

	}

	@Job(queue = "payments")
	static class Charge {

		String handle(long order) {
			return "receipt";
		}

	}

	@Job
	static class Receipt {

		void handle(String receipt) {
		}

	}

	@Job
	static class Note {

		void handle() {
		}

	}

	@Job(queue = "payments")
	static class Refund {

		void handle(long order) {
		}

	}

	record Order(long id) {

	}

	@Job
	static class Book {

		void handle(Order order) {
		}

	}

	@Job
	static class Print {

		String handle(Order order) {
			return "receipt";
		}

	}

	@Job
	@Buffered(size = 2, key = "id")
	static class Gather {

		Order handle(List<Order> orders) {
			return orders.get(0);
		}

	}

	@Job(queue = "payments")
	static class Complain {

		void handle(String text) {
		}

	}

	@Job
	@Unique
	static class Once {

		void handle(long order) {
		}

	}

	@Job
	static class Two {

		void handle(long order, String text) {
		}

	}

}
