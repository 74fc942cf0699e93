package io.gator.dispatch;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.JobDispatchException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * P1 and P20: a job exists exactly if its transaction commits, whatever transaction that
 * is.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class TransactionsTests extends AbstractTransactionsTests {

	TransactionsTests(DatabaseHandle database) {
		super(database);
	}

	@Test
	void aJobIsInvisibleUntilItsTransactionCommits() {
		this.transaction.executeWithoutResult((status) -> {
			this.jobs.dispatch(Work.class, 1);
			this.jobs.dispatchMany(Work.class, MANY);
			assertThat(jobs()).isZero();
			assertThat(this.setup.heard).isEmpty();
			assertThat(this.setup.listened).isEmpty();
		});
		assertThat(jobs()).isEqualTo(5_001);
		assertThat(this.setup.heard).containsExactly(List.of(new Dispatched("Work", "default", 5_001)));
		assertThat(this.setup.listened).hasSize(5_001);
	}

	@Test
	void aRolledBackTransactionLeavesNoJobAndTellsNobody() {
		this.transaction.executeWithoutResult((status) -> {
			this.jobs.dispatch(Work.class, 1);
			this.jobs.dispatchMany(Work.class, MANY);
			status.setRollbackOnly();
		});
		assertThat(jobs()).isZero();
		assertThat(this.setup.heard).isEmpty();
		assertThat(this.setup.listened).isEmpty();
	}

	/** That is what the server does after an error, and the driver tells nobody. */
	@Test
	void aTransactionThatIsRolledBackThoughItIsToldToCommitTellsNobody() {
		this.transaction.executeWithoutResult((status) -> {
			this.jobs.dispatch(Work.class, 1);
			keepAnErrorToOneself();
		});
		assertThat(jobs()).isZero();
		assertThat(this.setup.heard).isEmpty();
		assertThat(this.setup.listened).isEmpty();
	}

	@Test
	void aReadOnlyTransactionIsRefused() {
		Recording recording = new Recording(this.pool);
		Dispatcher dispatcher = this.setup.on(recording);
		TransactionTemplate readOnly = new TransactionTemplate(new DataSourceTransactionManager(recording));
		readOnly.setReadOnly(true);
		readOnly.executeWithoutResult((status) -> {
			recording.forget();
			assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> dispatcher.dispatch(Work.class, 1))
				.withMessageContaining("'Work'")
				.withMessageContaining("read-only");
			assertThatExceptionOfType(JobDispatchException.class)
				.isThrownBy(() -> dispatcher.dispatchMany(Work.class, MANY))
				.withMessageContaining("read-only");
			assertThat(recording.calls).isEmpty();
		});
	}

	@Test
	void outsideOfATransactionAJobIsDurableAtOnce() {
		this.jobs.dispatch(Work.class, 1);
		assertThat(jobs()).isEqualTo(1);
		this.jobs.dispatchMany(Work.class, MANY);
		assertThat(jobs()).isEqualTo(5_001);
		assertThat(this.setup.heard).containsExactly(List.of(new Dispatched("Work", "default", 1)),
				List.of(new Dispatched("Work", "default", 5_000)));
	}

	@Test
	void withAutocommitOffADispatchCommitsOnItsOwn() {
		try (HikariDataSource manual = manual()) {
			Dispatcher dispatcher = this.setup.on(manual, TestDispatch.store(this.pool));
			dispatcher.dispatch(Work.class, 1);
			assertThat(jobs()).isEqualTo(1);
			dispatcher.dispatchMany(Work.class, MANY);
			assertThat(jobs()).isEqualTo(5_001);
			supports(manual).executeWithoutResult((status) -> {
				dispatcher.dispatch(Work.class, 1);
				assertThat(jobs()).isEqualTo(5_002);
			});
			new TransactionTemplate(new JdbcTransactionManager(manual)).executeWithoutResult((status) -> {
				dispatcher.dispatch(Work.class, 1);
				assertThat(jobs()).isEqualTo(5_002);
			});
			assertThat(jobs()).isEqualTo(5_003);
		}
	}

	@Test
	void aBulkLeavesTheConnectionAsItWas() throws Exception {
		HikariDataSource single = this.database.hikari(1);
		this.setup.on(single, TestDispatch.store(this.pool)).dispatchMany(Work.class, MANY);
		try (Connection connection = single.getConnection()) {
			assertThat(connection.getAutoCommit()).isTrue();
		}
	}

	@Test
	void aScopeWithoutTransactionCommitsAtOnce() {
		supports(this.pool).executeWithoutResult((status) -> {
			this.jobs.dispatch(Work.class, 1);
			this.jobs.dispatchMany(Work.class, MANY);
			assertThat(jobs()).isEqualTo(5_001);
			assertThat(this.setup.heard).hasSize(2);
		});
	}

	@Test
	void aSuspendedTransactionIsNotJoined() {
		TransactionTemplate inner = new TransactionTemplate(this.transaction.getTransactionManager());
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			this.jobs.dispatch(Work.class, 1);
			inner.executeWithoutResult((ignored) -> this.jobs.dispatch(Work.class, 2));
			assertThat(jobs()).isEqualTo(1);
			assertThat(this.setup.heard).hasSize(1);
			this.jobs.dispatch(Work.class, 3);
		});
		assertThat(jobs()).isEqualTo(3);
		assertThat(this.setup.heard).containsExactly(List.of(new Dispatched("Work", "default", 1)),
				List.of(new Dispatched("Work", "default", 2)));
	}

	private TransactionTemplate nested() {
		TransactionTemplate nested = new TransactionTemplate(this.transaction.getTransactionManager());
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		return nested;
	}

	@Test
	void whatIsRolledBackToASavepointIsNotToldOf() {
		TransactionTemplate nested = nested();
		List<Long> ids = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			nested.executeWithoutResult((inner) -> {
				this.jobs.dispatch(Work.class, 0);
				inner.setRollbackOnly();
			});
			ids.add(this.jobs.dispatch(Work.class, 1));
			nested.executeWithoutResult((inner) -> {
				this.jobs.dispatch(Work.class, 2);
				inner.setRollbackOnly();
			});
			nested.executeWithoutResult((inner) -> ids.add(this.jobs.dispatch(Work.class, 3)));
		});
		assertThat(jobs()).isEqualTo(2);
		assertThat(this.setup.listened).containsExactly(ids.get(0) + " Work default", ids.get(1) + " Work default");
		assertThat(this.setup.heard).containsExactly(List.of(new Dispatched("Work", "default", 2)));
	}

	@Test
	void whereAllIsRolledBackToASavepointNobodyIsToldAnything() {
		TransactionTemplate nested = nested();
		this.transaction.executeWithoutResult((status) -> nested.executeWithoutResult((inner) -> {
			this.jobs.dispatch(Work.class, 1);
			inner.setRollbackOnly();
		}));
		assertThat(this.setup.heard).isEmpty();
	}

	@Test
	void whatIsRolledBackToASavepointIsNotCountedWhereNobodyListens() {
		TestDispatch counting = new TestDispatch(Work.class);
		Dispatcher dispatcher = counting.on(this.pool);
		TransactionTemplate nested = nested();
		this.transaction.executeWithoutResult((status) -> {
			dispatcher.dispatch(Work.class, 1);
			nested.executeWithoutResult((inner) -> {
				dispatcher.dispatch(Work.class, 2);
				inner.setRollbackOnly();
			});
			dispatcher.dispatch(Work.class, 3);
			nested.executeWithoutResult((inner) -> dispatcher.dispatch(Work.class, 4));
		});
		assertThat(jobs()).isEqualTo(3);
		assertThat(counting.heard).containsExactly(List.of(new Dispatched("Work", "default", 3)));
	}

	@Test
	void aTransactionThatDoesNotTellIsJoinedAllTheSame() {
		DataSourceTransactionManager silent = new DataSourceTransactionManager(this.pool);
		silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		this.setup.manager = silent;
		new TransactionTemplate(silent).executeWithoutResult((status) -> {
			this.jobs.dispatch(Work.class, 1);
			assertThat(jobs()).isZero();
			status.setRollbackOnly();
		});
		assertThat(jobs()).isZero();
	}

	@Test
	void aDataSourceThatWrapsTheSameIsTheSame() {
		for (DataSource wrapper : List.of(new TransactionAwareDataSourceProxy(this.pool),
				new LazyConnectionDataSourceProxy(this.pool))) {
			Dispatcher wrapped = this.setup.on(wrapper, TestDispatch.store(this.database.createDataSource()));
			AtomicLong before = new AtomicLong(jobs());
			// The transaction manager has the target, the dispatcher the wrapper.
			this.transaction.executeWithoutResult((status) -> {
				use(wrapper);
				wrapped.dispatch(Work.class, 1);
				assertThat(jobs()).isEqualTo(before.get());
			});
			assertThat(jobs()).isEqualTo(before.incrementAndGet());
			// And the other way round.
			new TransactionTemplate(new JdbcTransactionManager(wrapper)).executeWithoutResult((status) -> {
				this.jobs.dispatch(Work.class, 1);
				wrapped.dispatch(Work.class, 1);
				assertThat(jobs()).isEqualTo(before.get());
				status.setRollbackOnly();
			});
			assertThat(jobs()).isEqualTo(before.get());
			wrapped.dispatch(Work.class, 1);
			assertThat(jobs()).isEqualTo(before.incrementAndGet());
		}
	}

	@Test
	void theWorkOfTheCallerCommitsWithTheJob() {
		this.transaction.executeWithoutResult((status) -> {
			JdbcClient.create(this.pool).sql("create table if not exists lead (id int)").update();
			JdbcClient.create(this.pool).sql("insert into lead values (1)").update();
			this.jobs.dispatch(Work.class, 1);
			status.setRollbackOnly();
		});
		assertThat(this.database.jdbc().sql("select to_regclass('lead') is null").query(Boolean.class).single())
			.isTrue();
		assertThat(jobs()).isZero();
	}

	@Test
	void inAPoolOfOneTheTransactionsConnectionIsEnough() {
		HikariDataSource single = this.database.hikari(1);
		Dispatcher dispatcher = this.setup.on(single, TestDispatch.store(this.pool));
		new TransactionTemplate(new JdbcTransactionManager(single))
			.executeWithoutResult((status) -> dispatcher.to(Work.class).queue("unheard-of").dispatch(1));
		assertThat(jobs()).isEqualTo(1);
		assertThat(this.table.count("gator_queue where name = 'unheard-of'")).isEqualTo(1);
	}

	@Test
	void theTimeoutOfATransactionHoldsForItsDispatches() throws Exception {
		TransactionTemplate brief = new TransactionTemplate(this.transaction.getTransactionManager());
		brief.setTimeout(3);
		try (Connection other = this.database.createDataSource().getConnection()) {
			other.setAutoCommit(false);
			other.createStatement()
				.execute(
						"insert into gator_job (queue, name, args, unique_key) values ('default', 'Work', '[]', 'held')");
			assertThatExceptionOfType(QueryTimeoutException.class)
				.isThrownBy(() -> brief.executeWithoutResult((status) -> {
					JdbcClient.create(this.pool).sql("set local lock_timeout = '20s'").update();
					this.jobs.to(Work.class).uniqueKey("held").dispatch(1);
				}));
		}
		brief.setTimeout(60);
		brief.executeWithoutResult((status) -> this.jobs.dispatchMany(Work.class, MANY));
		assertThat(jobs()).isEqualTo(5_000);
	}

	private static TransactionTemplate supports(DataSource dataSource) {
		TransactionTemplate supports = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
		return supports;
	}

}
