package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * P1 and P20: a job exists exactly if its transaction commits, whatever transaction that
 * is.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class TransactionsTests {

	/** More than one chunk. */
	private static final List<Integer> MANY = IntStream.range(0, 5_000).boxed().toList();

	private final DatabaseHandle database;

	private final JobTable table;

	private final DataSource pool;

	private final TestDispatch setup = new TestDispatch(Work.class).listening();

	private final Dispatcher jobs;

	private final TransactionTemplate transaction;

	TransactionsTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		this.pool = database.hikari(2);
		this.jobs = this.setup.on(this.pool, TestDispatch.store(database.hikari(1)));
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(this.pool));
	}

	@BeforeEach
	void clear() {
		this.table.clear();
		this.setup.heard.clear();
		this.setup.listened.clear();
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
	void aDispatchBehindTheCommitThatIsRolledBackForALaterErrorIsToldToNobody() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						TransactionsTests.this.jobs.dispatch(Work.class, 1);
						keepAnErrorToOneself();
					}

				}));
		assertThat(jobs()).isZero();
		assertThat(this.setup.heard).isEmpty();
	}

	private void keepAnErrorToOneself() {
		JdbcTemplate jdbc = new JdbcTemplate(this.pool);
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> jdbc.execute("select 1 / 0"));
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
	void aDispatchBehindAReadOnlyTransactionWhoseConnectionIsStillThereIsRefused() {
		TransactionTemplate readOnly = new TransactionTemplate(new JdbcTransactionManager(this.pool));
		readOnly.setReadOnly(true);
		List<Throwable> refused = new ArrayList<>();
		readOnly.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int ended) {
						refused.add(catchThrowable(() -> TransactionsTests.this.jobs.dispatch(Work.class, 1)));
					}

				}));
		assertThat(refused).singleElement()
			.isInstanceOf(JobDispatchException.class)
			.extracting(Throwable::getMessage)
			.asString()
			.contains("read-only");
		assertThat(jobs()).isZero();
	}

	@Test
	void aTransactionOnAnotherDataSourceIsRefused() {
		PlatformTransactionManager other = new JdbcTransactionManager(this.database.createDataSource());
		new TransactionTemplate(other).executeWithoutResult((status) -> {
			assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> this.jobs.dispatch(Work.class, 1))
				.withMessageContaining("'Work'")
				.withMessageContaining("does not include the DataSource");
			assertThatExceptionOfType(JobDispatchException.class)
				.isThrownBy(() -> this.jobs.dispatchMany(Work.class, MANY));
		});
		assertThat(jobs()).isZero();
	}

	@Test
	void aTransactionOnAnotherDataSourceIsRefusedAlsoIfGatorsWasUsedInIt() {
		TransactionTemplate other = new TransactionTemplate(
				new JdbcTransactionManager(this.database.createDataSource()));
		try (HikariDataSource manual = manual()) {
			for (DataSource own : List.of(this.pool, manual, new TransactionAwareDataSourceProxy(this.pool))) {
				Dispatcher dispatcher = this.setup.on(own, TestDispatch.store(this.pool));
				other.executeWithoutResult((status) -> {
					use(own);
					assertThatExceptionOfType(JobDispatchException.class)
						.isThrownBy(() -> dispatcher.dispatch(Work.class, 1))
						.withMessageContaining("does not include the DataSource");
					assertThatExceptionOfType(JobDispatchException.class)
						.isThrownBy(() -> dispatcher.dispatchMany(Work.class, MANY));
				});
			}
		}
		assertThat(jobs()).isZero();
	}

	@Test
	void anOwnTransactionInsideThatOfAnotherDataSourceIsJoined() {
		TransactionTemplate other = new TransactionTemplate(
				new JdbcTransactionManager(this.database.createDataSource()));
		other.executeWithoutResult((status) -> {
			use(this.pool);
			this.transaction.executeWithoutResult((inner) -> {
				this.jobs.dispatch(Work.class, 1);
				assertThat(jobs()).isZero();
			});
			assertThat(jobs()).isEqualTo(1);
			this.transaction.executeWithoutResult((inner) -> {
				this.jobs.dispatch(Work.class, 2);
				inner.setRollbackOnly();
			});
		});
		assertThat(jobs()).isEqualTo(1);
	}

	@Test
	void aCallbackOfATransactionOfAnotherDataSourceEndsNoTransactionAroundThat() {
		assertCallbacksEndNoTransactionAround(another());
	}

	@Test
	void aCallbackOfATransactionOfNoDataSourceEndsNoTransactionAroundThat() {
		assertCallbacksEndNoTransactionAround(new TransactionTemplate(new Messages()));
	}

	private void assertCallbacksEndNoTransactionAround(TransactionTemplate inside) {
		for (Phase phase : Phase.values()) {
			for (boolean rolledBack : List.of(false, true)) {
				around(inside, phase, rolledBack, true);
				assertThat(written()).as("%s, rolled back: %s", phase, rolledBack).isZero();
				assertThat(jobs()).as("%s, rolled back: %s", phase, rolledBack).isZero();
				around(inside, phase, rolledBack, false);
				assertThat(written()).as("%s, rolled back: %s", phase, rolledBack).isEqualTo(1);
				assertThat(jobs()).as("%s, rolled back: %s", phase, rolledBack)
					.isEqualTo(phase.isCalledAfter(rolledBack) ? 2 : 0);
				clear();
			}
		}
	}

	/** Write, and dispatch twice from a callback of a transaction inside. */
	private void around(TransactionTemplate inside, Phase phase, boolean innerRolledBack, boolean outerRolledBack) {
		this.transaction.executeWithoutResult((outer) -> {
			JdbcClient.create(this.pool).sql("insert into gator_queue (name) values ('written')").update();
			inside.executeWithoutResult((inner) -> {
				TransactionSynchronizationManager.registerSynchronization(phase.calling(() -> {
					this.jobs.dispatch(Work.class, 1);
					this.jobs.dispatch(Work.class, 2);
				}));
				if (innerRolledBack) {
					inner.setRollbackOnly();
				}
			});
			assertThat(written()).isZero();
			assertThat(jobs()).isZero();
			if (outerRolledBack) {
				outer.setRollbackOnly();
			}
		});
	}

	@Test
	void aCallbackOfAnOwnTransactionInsideThatOfAnotherDataSourceIsNotLost() {
		try (HikariDataSource manual = manual()) {
			Dispatcher dispatcher = this.setup.on(manual, TestDispatch.store(this.pool));
			TransactionTemplate own = new TransactionTemplate(new JdbcTransactionManager(manual));
			for (Phase phase : Phase.values()) {
				another().executeWithoutResult((outer) -> {
					own.executeWithoutResult((inner) -> {
						dispatcher.dispatch(Work.class, 1);
						TransactionSynchronizationManager
							.registerSynchronization(phase.calling(() -> dispatcher.dispatch(Work.class, 2)));
					});
					assertThat(jobs()).as("%s", phase).isEqualTo(2);
					outer.setRollbackOnly();
				});
				assertThat(jobs()).as("%s", phase).isEqualTo(2);
				assertHeard(2);
				clear();
			}
		}
	}

	@Test
	void aTransactionDeclaredForAnotherDataSourceIsRefusedInsideOfAnOwnOneToo() {
		DataSource other = this.database.createDataSource();
		declared(this.pool, () -> {
			this.jobs.dispatch(Work.class, 1);
			declared(other,
					() -> assertThatExceptionOfType(JobDispatchException.class)
						.isThrownBy(() -> this.jobs.dispatch(Work.class, 2))
						.withMessageContaining("does not include the DataSource"));
			this.jobs.dispatch(Work.class, 3);
		});
		assertThat(jobs()).isEqualTo(2);
		declared(other, () -> {
			declared(this.pool, () -> this.jobs.dispatch(Work.class, 4));
			assertThat(jobs()).isEqualTo(3);
			this.transaction.executeWithoutResult((inner) -> this.jobs.dispatch(Work.class, 5));
			assertThat(jobs()).isEqualTo(4);
		});
		assertHeard(4);
	}

	/** What {@code @Transactional} does. */
	private static void declared(DataSource dataSource, Runnable work) {
		TransactionManager manager = new JdbcTransactionManager(dataSource);
		ProxyFactory proxy = new ProxyFactory(work);
		proxy.addAdvice(new TransactionInterceptor(manager, new MatchAlwaysTransactionAttributeSource()));
		((Runnable) proxy.getProxy()).run();
	}

	private TransactionTemplate another() {
		return new TransactionTemplate(new JdbcTransactionManager(this.database.createDataSource()));
	}

	private int written() {
		return this.table.count("gator_queue where name = 'written'");
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

	@Test
	void whatIsRolledBackToASavepointIsNotToldOf() {
		TransactionTemplate nested = new TransactionTemplate(this.transaction.getTransactionManager());
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
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
	void whatIsRolledBackToASavepointIsNotCountedWhereNobodyListens() {
		TestDispatch counting = new TestDispatch(Work.class);
		Dispatcher dispatcher = counting.on(this.pool);
		TransactionTemplate nested = new TransactionTemplate(this.transaction.getTransactionManager());
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
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
	void aDispatchFromAnAfterCommitCallbackIsNotLost() {
		assertCallbackDispatches(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				TransactionsTests.this.jobs.dispatch(Work.class, 2);
				TransactionsTests.this.jobs.dispatchMany(Work.class, MANY);
			}

		}, 5_002);
	}

	@Test
	void aDispatchFromAnAfterCompletionCallbackIsNotLost() {
		assertCallbackDispatches(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				TransactionsTests.this.jobs.dispatch(Work.class, 2);
				assertThat(jobs()).isEqualTo(2);
			}

		}, 2);
	}

	@Test
	void aDispatchFromACallbackBehindAnotherTransactionIsDurableAtOnce() {
		assertDurableBehindAnotherTransaction(this.pool);
		try (HikariDataSource manual = manual()) {
			assertDurableBehindAnotherTransaction(manual);
		}
	}

	private void assertDurableBehindAnotherTransaction(DataSource pool) {
		clear();
		PlatformTransactionManager manager = new JdbcTransactionManager(pool);
		this.setup.manager = manager;
		Dispatcher dispatcher = this.setup.on(pool, TestDispatch.store(this.database.hikari(1)));
		TransactionTemplate another = new TransactionTemplate(manager);
		another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		new TransactionTemplate(manager).executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int ended) {
						another.executeWithoutResult((inner) -> dispatcher.dispatch(Work.class, 1));
						dispatcher.dispatch(Work.class, 2);
						assertThat(jobs()).isEqualTo(2);
						dispatcher.dispatchMany(Work.class, MANY);
						assertThat(jobs()).isEqualTo(5_002);
					}

				}));
		assertThat(jobs()).isEqualTo(5_002);
		assertHeard(5_002);
	}

	@Test
	void aDispatchFromABeforeCompletionCallbackIsPartOfTheTransaction() {
		assertCallbackDispatches(new TransactionSynchronization() {

			@Override
			public void beforeCompletion() {
				TransactionsTests.this.jobs.dispatch(Work.class, 2);
				assertThat(jobs()).isZero();
			}

		}, 2);
	}

	private void assertCallbackDispatches(TransactionSynchronization callback, int expected) {
		this.transaction.executeWithoutResult((status) -> {
			this.jobs.dispatch(Work.class, 1);
			TransactionSynchronizationManager.registerSynchronization(callback);
		});
		assertThat(jobs()).isEqualTo(expected);
		assertHeard(expected);
	}

	@Test
	void aDispatchFromAnAfterCommitCallbackIsNotLostWithAutocommitOff() {
		callBackWithAutocommitOff((dispatcher) -> new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				dispatcher.dispatch(Work.class, 2);
			}

		});
		assertThat(jobs()).isEqualTo(1);
		assertThat(this.setup.heard).hasSize(1);
	}

	@Test
	void aDispatchJustAfterTheCommitIsNotLostThoughOneWasMadeJustBeforeIt() {
		callBackWithAutocommitOff((dispatcher) -> new TransactionSynchronization() {

			@Override
			public void beforeCompletion() {
				dispatcher.dispatch(Work.class, 1);
			}

			@Override
			public void afterCommit() {
				dispatcher.dispatch(Work.class, 2);
			}

		});
		assertThat(jobs()).isEqualTo(2);
		assertHeard(2);
	}

	@Test
	void nobodyIsToldOfADispatchWhoseLateCommitFailsAndTheLogNamesIt(CapturedOutput output) {
		try (HikariDataSource manual = manual()) {
			Recording recording = new Recording(manual);
			Dispatcher dispatcher = this.setup.on(recording, TestDispatch.store(this.pool));
			new TransactionTemplate(new JdbcTransactionManager(recording))
				.executeWithoutResult((status) -> TransactionSynchronizationManager
					.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void afterCommit() {
							dispatcher.dispatch(Work.class, 2);
							recording.failAfter("commit", new SQLException("refused", "40001"));
						}

					}));
		}
		assertHeard(0);
		assertThat(output.getOut()).contains("ERROR", "Jobs (1 Work on default)", "could not be committed");
	}

	private void callBackWithAutocommitOff(Function<Dispatcher, TransactionSynchronization> callback) {
		try (HikariDataSource manual = manual()) {
			Dispatcher dispatcher = this.setup.on(manual, TestDispatch.store(this.pool));
			new TransactionTemplate(new JdbcTransactionManager(manual)).executeWithoutResult(
					(status) -> TransactionSynchronizationManager.registerSynchronization(callback.apply(dispatcher)));
		}
	}

	@Test
	void aTransactionWithinACallbackKeepsNoDispatchFromBeingCommittedAndHeard() {
		try (HikariDataSource manual = manual()) {
			Dispatcher dispatcher = this.setup.on(manual, TestDispatch.store(this.pool));
			TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(manual));
			TransactionTemplate inner = new TransactionTemplate(outer.getTransactionManager());
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			outer.executeWithoutResult((status) -> {
				dispatcher.dispatch(Work.class, 1);
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCompletion() {
						inner.executeWithoutResult((own) -> {
						});
					}

					@Override
					public void afterCommit() {
						inner.executeWithoutResult((own) -> {
						});
						dispatcher.dispatch(Work.class, 2);
						inner.executeWithoutResult((own) -> {
						});
						dispatcher.dispatch(Work.class, 3);
					}

				});
			});
			assertThat(jobs()).isEqualTo(3);
			assertHeard(3);
			outer.executeWithoutResult((status) -> dispatcher.dispatch(Work.class, 4));
			assertThat(jobs()).isEqualTo(4);
			assertHeard(4);
		}
	}

	private void assertHeard(int expected) {
		assertThat(this.setup.heard.stream().flatMap(List::stream).mapToInt(Dispatched::count).sum())
			.isEqualTo(expected);
		assertThat(this.setup.listened).hasSize(expected);
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

	/** What each reading does, too. */
	private static void use(DataSource dataSource) {
		JdbcClient.create(dataSource).sql("select 1").query().singleRow();
	}

	private static TransactionTemplate supports(DataSource dataSource) {
		TransactionTemplate supports = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
		return supports;
	}

	/** One connection, which does not commit by itself. */
	private HikariDataSource manual() {
		HikariConfig config = new HikariConfig();
		config.setDataSource(this.database.createDataSource());
		config.setAutoCommit(false);
		config.setMaximumPoolSize(2);
		return new HikariDataSource(config);
	}

	private int jobs() {
		return this.table.count("gator_job");
	}

	/** When a callback of a transaction is called. */
	private enum Phase {

		BEFORE_COMMIT, BEFORE_COMPLETION, AFTER_COMMIT, AFTER_COMPLETION;

		boolean isCalledAfter(boolean rolledBack) {
			return !rolledBack || this == BEFORE_COMPLETION || this == AFTER_COMPLETION;
		}

		TransactionSynchronization calling(Runnable work) {
			return new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					in(BEFORE_COMMIT);
				}

				@Override
				public void beforeCompletion() {
					in(BEFORE_COMPLETION);
				}

				@Override
				public void afterCommit() {
					in(AFTER_COMMIT);
				}

				@Override
				public void afterCompletion(int status) {
					in(AFTER_COMPLETION);
				}

				private void in(Phase phase) {
					if (phase == Phase.this) {
						work.run();
					}
				}

			};
		}

	}

	/** The transactions of something that is no database, such as messages. */
	private static final class Messages extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return new ResourceHolderSupport() {
			};
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			((ResourceHolderSupport) transaction).setSynchronizedWithTransaction(true);
			TransactionSynchronizationManager.bindResource(this, transaction);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

		@Override
		protected void doCleanupAfterCompletion(Object transaction) {
			TransactionSynchronizationManager.unbindResource(this);
		}

	}

	@Job
	static class Work {

		void handle(int number) {
		}

	}

}
