package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.gator.maintenance.QueueKeeper;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which queues the cluster knows.
 */
@FreshDatabase
class QueueTests extends AbstractWorkerStoreTests {

	private static final Duration A_DAY = Duration.ofHours(25);

	QueueTests(DatabaseHandle database) {
		super(database);
	}

	@BeforeEach
	void clearQueues() {
		this.tables.jdbc().sql("truncate gator_queue, gator_dead_job").update();
	}

	private List<String> known() {
		return this.tables.jdbc().sql("select name from gator_queue order by name").query(String.class).list();
	}

	@Test
	void aQueueThatWasHeardOfIsKnownIfThereAreJobsInIt() {
		this.tables.ready("heard");
		this.tables.due("heard too", 60);
		this.tables.jdbc().sql("truncate gator_queue").update();
		this.workers.registerHeardQueues(Set.of("heard", "heard too", "made up"));
		assertThat(known()).containsExactly("heard", "heard too");
	}

	@Test
	void queuesInWhichJobsWaitAreKnownAgainAfterTheirNamesWereLost() {
		this.tables.ready("lost");
		this.tables.ready("lost");
		this.tables.due("lost too", 60);
		this.tables.jdbc().sql("truncate gator_queue").update();
		assertThat(this.workers.registerMissingQueues()).isEqualTo(2);
		assertThat(known()).containsExactly("lost", "lost too");
		assertThat(this.workers.registerMissingQueues()).isZero();
	}

	@Test
	void aQueueOfDeadJobsIsKnownAgainAfterItsNameWasLost() {
		this.tables.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				select n, 'dead', 'Work', '[]', 1, 1, now() from generate_series(1, 2) n
				""").update();
		assertThat(this.workers.registerMissingQueues()).isOne();
		assertThat(known()).containsExactly("dead");
		assertThat(this.workers.registerMissingQueues()).isZero();
	}

	@Test
	void theManyQueuesOfAPoolAreWrittenOnlyWhenTheyAreOthers() {
		List<String> many = Stream.generate(UUID::randomUUID).limit(1000).map(UUID::toString).toList();
		long pool = this.tables.pool();
		this.workers.beat(pool, 10, 0, many, Set.of());
		long before = bytes();
		this.workers.beat(pool, 10, 0, many, Set.of());
		assertThat(bytes()).isEqualTo(before);
		this.workers.beat(pool, 10, 0, many.subList(1, 1000), Set.of());
		assertThat(bytes()).isGreaterThan(before);
		assertThat(this.tables.jdbc()
			.sql("select array_to_string(queues, ',') from gator_worker")
			.query(String.class)
			.single()).isEqualTo(String.join(",", many.subList(1, 1000)));
	}

	private long bytes() {
		return this.tables.jdbc().sql("select pg_table_size('gator_worker')").query(Long.class).single();
	}

	@Test
	void aQueueThatNobodyUsesIsForgottenAfterADay() {
		this.workers.registerQueues(Set.of("used", "unused"));
		assertThat(this.workers.forgetUnusedQueues()).isZero();
		this.tables.advance(A_DAY);
		this.workers.registerQueues(Set.of("used"));
		assertThat(this.workers.forgetUnusedQueues()).isEqualTo(1);
		assertThat(known()).containsExactly("used");
	}

	@ParameterizedTest
	@ValueSource(strings = { "insert into gator_job (queue, name, args) values ('held', 'Work', '[]')",
			"insert into gator_job (queue, name, args, next_execution_at) values ('held', 'Work', '[]', now() + interval '1 year')",
			"insert into gator_job (queue, name, args, reserved_by, reserved_at) values ('held', 'Work', '[]', 1, now())",
			"insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at) values (1, 'held', 'Work', '[]', 1, 1, now())",
			"update gator_queue set paused_at = now() where name = 'held'" })
	void aQueueThatHoldsJobsOrIsPausedIsNotForgotten(String held) {
		this.workers.registerQueues(Set.of("held", "unused"));
		this.tables.jdbc().sql(held).update();
		this.tables.advance(A_DAY);
		assertThat(this.workers.forgetUnusedQueues()).isEqualTo(1);
		assertThat(known()).containsExactly("held");
	}

	@Test
	void aQueueWhoseDeadJobsAreGoneIsForgottenAfterAnotherDay() {
		this.workers.registerQueues(Set.of("held"));
		this.tables.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at)
				values (1, 'held', 'Work', '[]', 1, 1, now())
				""").update();
		this.tables.advance(A_DAY);
		assertThat(this.workers.forgetUnusedQueues()).isZero();
		this.tables.jdbc().sql("delete from gator_dead_job").update();
		assertThat(this.workers.forgetUnusedQueues()).as("it was asked today").isZero();
		this.tables.advance(A_DAY);
		assertThat(this.workers.forgetUnusedQueues()).isOne();
	}

	@Test
	void thatAQueueIsInUseIsWrittenOnceAnHour() {
		this.workers.registerQueues(Set.of("used"));
		String first = version();
		this.tables.advance(Duration.ofMinutes(50));
		this.workers.registerQueues(Set.of("used"));
		assertThat(version()).isEqualTo(first);
		this.tables.advance(Duration.ofMinutes(20));
		this.workers.registerQueues(Set.of("used"));
		assertThat(version()).isNotEqualTo(first);
	}

	/** Changes with each update of the row. */
	private String version() {
		return this.tables.jdbc()
			.sql("select ctid::text from gator_queue where name = 'used'")
			.query(String.class)
			.single();
	}

	@Test
	void whoeverNamesAQueueDoesNotWaitForOthersThatDoSo() throws SQLException {
		this.workers.registerQueues(Set.of("used"));
		this.tables.advance(A_DAY);
		try (Connection other = this.database.createDataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("select from gator_queue for update");
			this.workers.registerQueues(Set.of("used"));
			assertThat(this.workers.forgetUnusedQueues()).isZero();
			other.rollback();
		}
	}

	@Test
	void aProcessThatForgetsQueuesKeepsThoseThatItServesByName() {
		QueueKeeper keeper = new QueueKeeper(this.workers, () -> this.workers.registerQueues(Set.of("own")));
		this.workers.registerQueues(Set.of("own", "other"));
		this.tables.advance(A_DAY);
		keeper.forgetUnused();
		assertThat(known()).containsExactly("own");
	}

}
