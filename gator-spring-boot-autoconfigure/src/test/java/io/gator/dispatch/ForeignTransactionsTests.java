package io.gator.dispatch;

import java.util.List;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.JobDispatchException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
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

/**
 * P1: jobs share no fate with transactions that are not those of their database, nor end
 * them.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class ForeignTransactionsTests extends AbstractTransactionsTests {

	ForeignTransactionsTests(DatabaseHandle database) {
		super(database);
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
						TransactionSynchronizationManager.registerSynchronization(phase.calling(() -> {
							dispatcher.dispatch(Work.class, 2);
							dispatcher.dispatch(Work.class, 3);
						}));
					});
					assertThat(jobs()).as("%s", phase).isEqualTo(3);
					outer.setRollbackOnly();
				});
				assertThat(jobs()).as("%s", phase).isEqualTo(3);
				assertHeard(3);
				clear();
			}
		}
	}

	@Test
	void aDispatchBehindAReadOnlyTransactionOfAnotherDataSourceIsNotRefused() {
		TransactionTemplate readOnly = another();
		readOnly.setReadOnly(true);
		readOnly.executeWithoutResult((status) -> TransactionSynchronizationManager
			.registerSynchronization(Phase.AFTER_COMPLETION.calling(() -> this.jobs.dispatch(Work.class, 1))));
		assertThat(jobs()).isEqualTo(1);
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
						ForeignTransactionsTests.this.seen.add(jobs());
						dispatcher.dispatchMany(Work.class, MANY);
						ForeignTransactionsTests.this.seen.add(jobs());
					}

				}));
		assertThat(this.seen).containsExactly(2, 5_002);
		assertThat(jobs()).isEqualTo(5_002);
		assertHeard(5_002);
	}

	private TransactionTemplate another() {
		return new TransactionTemplate(new JdbcTransactionManager(this.database.createDataSource()));
	}

	private int written() {
		return this.table.count("gator_queue where name = 'written'");
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

}
