package io.gator.worker;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobListener;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import io.gator.store.StoreExceptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * P6: what is said and written of a job whose success was to commit with its work, when
 * the commit fails, or nobody knows whether it did, or the job was another pool's by
 * then.
 */
class TransactionalOutcomeTests {

	private static final ClaimedJob JOB = TestClaimedJob.of(1, "Writes").get();

	private final Connection connection = mock(Connection.class);

	private final DataSource dataSource = mock(DataSource.class);

	private final List<String> told = new ArrayList<>();

	private final List<AttemptOutcome> ended = new ArrayList<>();

	private final Said settlements = new Said();

	private boolean held = true;

	private boolean leavesInterrupt;

	private final FakeJobStore store = new FakeJobStore() {

		@Override
		public boolean settle(Connection connection, Settlement.Succeeded success) {
			if (TransactionalOutcomeTests.this.leavesInterrupt) {
				Thread.currentThread().interrupt();
			}
			return TransactionalOutcomeTests.this.held;
		}

	};

	private final TestServices services = new TestServices(this.store, Writes.class);

	private Attempt attempt;

	@BeforeEach
	void connect() throws SQLException {
		Writes.work = Settlements.NOTHING;
		given(this.dataSource.getConnection()).willReturn(this.connection);
		AttemptServices plain = this.services.get();
		WorkerMetrics metrics = new WorkerMetrics() {

			@Override
			public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
				TransactionalOutcomeTests.this.ended.add(outcome);
			}

		};
		AttemptServices transactional = new AttemptServices(plain.routes(), plain.codec(), plain.links(),
				new HandlerCalls(List.of(), List.of(new Told()), null), this.store,
				new TransactionalCalls(new DataSourceTransactionManager(this.dataSource), this.dataSource), metrics,
				plain.timer());
		this.attempt = new Attempt(transactional, JOB, Objects.requireNonNull(plain.routes().find("Writes")), 1, 0);
	}

	@AfterEach
	void close() {
		this.services.close();
	}

	private void run() {
		this.attempt.begin();
		this.attempt.run(this.settlements);
		this.attempt.end();
	}

	private void assertThatNothingIsSaidOfItAnyMore() {
		this.attempt.release(this.settlements);
		assertThat(this.settlements.said).as("once").hasSize(1);
	}

	@Test
	void aCommitEndsTheJobAndTellsOfItsSuccess() throws SQLException {
		run();
		verify(this.connection).commit();
		assertThat(this.settlements.said).containsExactly("settled " + new Settlement.Succeeded(1, 1, null, null));
		assertThat(this.told).containsExactly("succeeded");
		assertThat(this.ended).containsExactly(AttemptOutcome.SUCCEEDED);
		assertThatNothingIsSaidOfItAnyMore();
	}

	@Test
	void whatTheHandlerLeavesOnItsThreadIsNotTheListenersBusiness() {
		this.leavesInterrupt = true;
		run();
		assertThat(this.told).containsExactly("succeeded");
	}

	/** One without a state is that of a rollback that could not even be sent. */
	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "08006")
	void aJobOfWhoseCommitNobodyKnowsIsTriedAgainUnlessItIsDone(@Nullable String state) throws SQLException {
		willThrow(new SQLException("broken", state)).given(this.connection).commit();
		run();
		assertThat(this.settlements.said).singleElement()
			.asString()
			.startsWith("settled unless done Requeued")
			.contains("The answer to the commit was lost");
		assertThat(this.settlements.requeued).returns(true, Settlement.Requeued::charged);
		assertThat(this.told).as("nobody knows").isEmpty();
		Objects.requireNonNull(this.settlements.done).run();
		assertThat(this.told).as("it was carried out").containsExactly("succeeded");
		assertThat(this.ended).containsExactly(AttemptOutcome.FAILED);
		assertThatNothingIsSaidOfItAnyMore();
	}

	@Test
	void aJobForTheAnswerToWhoseCommitThereWasNoMemoryIsTriedAgainUnlessItIsDone() throws SQLException {
		willThrow(new OutOfMemoryError("Java heap space")).given(this.connection).commit();
		run();
		assertThat(this.settlements.said).singleElement().asString().startsWith("settled unless done Requeued");
	}

	@Test
	void aJobWhoseCommitWasRefusedHasFailed() throws SQLException {
		willThrow(new SQLException("a deferred constraint", "23505")).given(this.connection).commit();
		run();
		assertThat(this.settlements.said).singleElement()
			.asString()
			.startsWith("settle Died")
			.contains("a deferred constraint");
		assertThat(this.ended).containsExactly(AttemptOutcome.DEAD);
		assertThatNothingIsSaidOfItAnyMore();
	}

	/**
	 * As with a provider's own callback after the commit, which it takes for part of it.
	 */
	@Test
	void aJobThatIsOverThoughItsCommitSeemedToFailHasSucceeded() throws SQLException {
		willThrow(new SQLException("of a statement after the commit", "23505")).given(this.connection).commit();
		this.store.over.add(1L);
		run();
		assertThat(this.settlements.said).containsExactly("settled " + new Settlement.Succeeded(1, 1, null, null));
		assertThat(this.told).containsExactly("succeeded");
		assertThatNothingIsSaidOfItAnyMore();
	}

	@Test
	void aJobThatIsOverThoughItsCommitThrewWhatCannotBeAskedForItsCauseHasSucceeded() throws SQLException {
		willThrow(new Mute()).given(this.connection).commit();
		this.store.over.add(1L);
		run();
		assertThat(this.settlements.said).containsExactly("settled " + new Settlement.Succeeded(1, 1, null, null));
	}

	@Test
	void aJobOfWhichNobodyCanSayWhetherItIsOverIsTriedAgainUnlessItIs() throws SQLException {
		willThrow(new SQLException("a deferred constraint", "23505")).given(this.connection).commit();
		this.store.failures.add(StoreExceptions.passing());
		run();
		assertThat(this.settlements.said).singleElement().asString().startsWith("settled unless done Requeued");
	}

	@Test
	void aJobThatIsAnotherPoolsByThenIsLostAndItsWorkIsRolledBack() throws SQLException {
		this.held = false;
		run();
		verify(this.connection, never()).commit();
		verify(this.connection).rollback();
		assertThat(this.settlements.said).containsExactly("lost");
		assertThat(this.told).isEmpty();
		assertThat(this.ended).containsExactly(AttemptOutcome.RELEASED);
		assertThatNothingIsSaidOfItAnyMore();
	}

	/** Where it comes from is known, whatever it looks like. */
	@Test
	void whatACallbackThrowsBeforeTheCommitMakesTheJobFail() throws SQLException {
		Writes.work = () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
			@Override
			public void beforeCommit(boolean readOnly) {
				throw new IllegalStateException(new SQLException("of another database"));
			}
		});
		run();
		verify(this.connection, never()).commit();
		assertThat(this.settlements.said).singleElement().asString().startsWith("settle Died");
	}

	@Test
	void whatACallbackThrowsAfterTheCommitDoesNot() {
		Writes.work = () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
			@Override
			public void afterCommit() {
				throw new IllegalStateException(new SQLException("of another database"));
			}
		});
		run();
		assertThat(this.settlements.said).containsExactly("settled " + new Settlement.Succeeded(1, 1, null, null));
		assertThat(this.told).containsExactly("succeeded");
	}

	@Test
	void whatTheHandlerThrowsCountsThoughTheRollbackFailsToo() throws SQLException {
		willThrow(new SQLException("broken", "08006")).given(this.connection).rollback();
		Writes.work = () -> {
			throw new IllegalStateException("refused");
		};
		run();
		assertThat(this.settlements.said).singleElement()
			.asString()
			.startsWith("settle Died")
			.contains("IllegalStateException: refused");
	}

	@Job(transactional = true)
	static class Writes {

		static Runnable work = Settlements.NOTHING;

		void handle() {
			work.run();
		}

	}

	private static final class Mute extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			throw new UnsupportedOperationException();
		}

	}

	private final class Told implements JobListener {

		@Override
		public void succeeded(JobContext job) {
			TransactionalOutcomeTests.this.told.add(Thread.interrupted() ? "interrupted" : "succeeded");
		}

	}

	/** Notes what is said of the job. */
	private static final class Said implements Settlements {

		final List<String> said = new ArrayList<>();

		Settlement.@Nullable Requeued requeued;

		@Nullable Runnable done;

		@Override
		public void settle(Execution execution, Settlement settlement, Runnable landed) {
			this.said.add("settle " + settlement);
		}

		@Override
		public void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
			this.said.add("settled unless done " + settlement);
			this.requeued = (Settlement.Requeued) settlement;
			this.done = done;
		}

		@Override
		public void settled(Execution execution, Settlement settlement) {
			this.said.add("settled " + settlement);
		}

		@Override
		public void lost(Execution execution) {
			this.said.add("lost");
		}

	}

}
