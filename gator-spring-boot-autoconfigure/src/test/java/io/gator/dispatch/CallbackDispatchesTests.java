package io.gator.dispatch;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.JobDispatchException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * P1: what is dispatched from callbacks around the end of a transaction is neither lost
 * nor told of in vain.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class CallbackDispatchesTests extends AbstractTransactionsTests {

	CallbackDispatchesTests(DatabaseHandle database) {
		super(database);
	}

	@Test
	void aDispatchBehindTheCommitThatIsRolledBackForALaterErrorIsToldToNobody() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						CallbackDispatchesTests.this.jobs.dispatch(Work.class, 1);
						keepAnErrorToOneself();
					}

				}));
		assertThat(jobs()).isZero();
		assertThat(this.setup.heard).isEmpty();
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
						refused.add(catchThrowable(() -> CallbackDispatchesTests.this.jobs.dispatch(Work.class, 1)));
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
	void aDispatchFromAnAfterCommitCallbackIsNotLost() {
		assertCallbackDispatches(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				CallbackDispatchesTests.this.jobs.dispatch(Work.class, 2);
				CallbackDispatchesTests.this.jobs.dispatchMany(Work.class, MANY);
			}

		}, 5_002);
	}

	@Test
	void aDispatchFromAnAfterCompletionCallbackIsNotLost() {
		assertCallbackDispatches(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				CallbackDispatchesTests.this.jobs.dispatch(Work.class, 2);
				CallbackDispatchesTests.this.seen.add(jobs());
			}

		}, 2);
		assertThat(this.seen).containsExactly(2);
	}

	@Test
	void aDispatchFromABeforeCompletionCallbackIsPartOfTheTransaction() {
		assertCallbackDispatches(new TransactionSynchronization() {

			@Override
			public void beforeCompletion() {
				CallbackDispatchesTests.this.jobs.dispatch(Work.class, 2);
				CallbackDispatchesTests.this.seen.add(jobs());
			}

		}, 2);
		assertThat(this.seen).containsExactly(0);
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
		callBackWithAutocommitOff((dispatcher, manual) -> new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				dispatcher.dispatch(Work.class, 2);
			}

		});
		assertThat(jobs()).isEqualTo(1);
		assertThat(this.setup.heard).hasSize(1);
	}

	@Test
	void aDispatchBehindTheCommitIsNotLostThoughTheCallbackHasReadSomethingBefore() {
		callBackWithAutocommitOff((dispatcher, manual) -> new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				use(manual);
				dispatcher.dispatch(Work.class, 1);
			}

		});
		assertThat(jobs()).isEqualTo(1);
		assertHeard(1);
	}

	@Test
	void aDispatchJustAfterTheCommitIsNotLostThoughOneWasMadeJustBeforeIt() {
		callBackWithAutocommitOff((dispatcher, manual) -> new TransactionSynchronization() {

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

	private void callBackWithAutocommitOff(BiFunction<Dispatcher, DataSource, TransactionSynchronization> callback) {
		try (HikariDataSource manual = manual()) {
			Dispatcher dispatcher = this.setup.on(manual, TestDispatch.store(this.pool));
			new TransactionTemplate(new JdbcTransactionManager(manual))
				.executeWithoutResult((status) -> TransactionSynchronizationManager
					.registerSynchronization(callback.apply(dispatcher, manual)));
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

	@Test
	void theLogNamesWhatNobodyCommitsBecauseItsTransactionTakesPartInOneThatIsOver(CapturedOutput output) {
		try (HikariDataSource manual = manual()) {
			Dispatcher dispatcher = this.setup.on(manual, TestDispatch.store(this.pool));
			TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(manual));
			template.executeWithoutResult((outer) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int status) {
						template.executeWithoutResult((inner) -> dispatcher.dispatch(Work.class, 1));
					}

				}));
			assertThat(output.getOut()).contains("WARN", "Jobs (1 Work on default)", "REQUIRES_NEW");
		}
	}

	@Test
	void theLogWarnsOfNothingWhereACallbackReadsBehindTheCommit(CapturedOutput output) {
		try (HikariDataSource manual = manual()) {
			Dispatcher dispatcher = this.setup.on(manual, TestDispatch.store(this.pool));
			new TransactionTemplate(new JdbcTransactionManager(manual)).executeWithoutResult((status) -> {
				dispatcher.dispatch(Work.class, 1);
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						use(manual);
					}

				});
			});
			assertThat(jobs()).isOne();
			assertThat(output.getOut()).doesNotContain("may not be committed");
		}
	}

}
