package io.gator.store;

import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What errors say of a statement that was sent.
 */
class SqlErrorsTests {

	private static final PSQLException NO_MEMORY_HERE = new PSQLException("Ran out of memory retrieving query results.",
			PSQLState.OUT_OF_MEMORY);

	private static final PSQLException NO_MEMORY_THERE = new PSQLException(
			new ServerErrorMessage("SERROR\0C53200\0Mout of memory\0"));

	@Test
	void anAnswerThatTheDriverHadNoMemoryForLeavesTheOutcomeUnknown() {
		assertThat(isOutcomeUnknown(NO_MEMORY_HERE)).isTrue();
		assertThat(isOutcomeUnknown(new SQLException("wrapped", NO_MEMORY_HERE))).isTrue();
	}

	@Test
	void aConnectionThatBreaksLeavesTheOutcomeUnknown() {
		assertThat(isOutcomeUnknown(new SQLException("broken", "08006"))).isTrue();
		assertThat(isOutcomeUnknown(new SQLException("broken", new IOException()))).isTrue();
		assertThat(isOutcomeUnknown(
				new PSQLException(new ServerErrorMessage("SFATAL\0C57P01\0Mterminating connection\0"))))
			.isTrue();
	}

	@Test
	void theOutcomeOfWhatTheServerRefusesIsKnown() {
		assertThat(isOutcomeUnknown(NO_MEMORY_THERE)).isFalse();
		assertThat(isOutcomeUnknown(new BatchUpdateException(new int[0], NO_MEMORY_THERE))).isFalse();
	}

	@Test
	void aValueThatTheDriverCannotSendAndACommitAnsweredWithARollbackLeaveTheOutcomeKnown() {
		assertThat(isOutcomeUnknown(new PSQLException("too long", PSQLState.INVALID_PARAMETER_VALUE))).isFalse();
		assertThat(isOutcomeUnknown(new PSQLException("rolled back", PSQLState.IN_FAILED_SQL_TRANSACTION))).isFalse();
	}

	@Test
	void theOutcomeOfWhatWasNeverSentIsKnown() {
		assertThat(StoreException.of("do it", NO_MEMORY_HERE, false).isOutcomeUnknown()).isFalse();
		assertThat(isOutcomeUnknown(new SQLTransientConnectionException("no connection",
				new PSQLException("refused", PSQLState.CONNECTION_UNABLE_TO_CONNECT))))
			.isFalse();
	}

	@Test
	void anAnswerThatIsLargerThanAMessageOfTheServersMayBeTooMuch() {
		assertThat(mayBeTooMuch(NO_MEMORY_THERE)).isTrue();
		assertThat(mayBeTooMuch(
				new PSQLException(new ServerErrorMessage("SERROR\0C54000\0Mout of memory\0DCannot enlarge\0"))))
			.isTrue();
		assertThat(mayBeTooMuch(new SQLException("division by zero", "22012"))).isFalse();
	}

	/** Those that pass are tried again for ever. */
	@ParameterizedTest
	@CsvSource({ "22021, DATA", "23505, DATA", "54000, DATA", "3D000, CONFIGURATION", "28P01, CONFIGURATION",
			"42P01, CONFIGURATION", "3F000, CONFIGURATION", "08006, PASSING", "40001, PASSING", "53300, PASSING",
			"57P01, PASSING", "XX001, PASSING", "4, PASSING", ", PASSING" })
	void anErrorIsOfTheValueOrOfTheConfigurationOrPasses(String state, StoreException.Kind kind) {
		assertThat(SqlErrors.kind(state)).isEqualTo(kind);
	}

	@ParameterizedTest
	@ValueSource(strings = { "P0001", "XX001", "27000", "2F003", "38000", "39000", "22021", "23505", "54000" })
	void whatMayConcernOneRowIsTriedRowByRow(String state) {
		assertThat(StoreException.of("do it", new SQLException("refused", state), true).mayConcernOneRow()).isTrue();
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "08006", "40001", "53300", "57014", "42P01", "P0" })
	void whatConcernsAllRowsIsNotTriedRowByRow(String state) {
		assertThat(StoreException.of("do it", new SQLException("refused", state), true).mayConcernOneRow()).isFalse();
	}

	private static boolean mayBeTooMuch(SQLException ex) {
		return StoreException.of("do it", ex, false).mayBeTooMuch();
	}

	private static boolean isOutcomeUnknown(SQLException ex) {
		return StoreException.of("do it", ex, true).isOutcomeUnknown();
	}

	@Test
	void ofAnExceptionThatIsNotTheDriversTheFirstLineIsToldForTheOthersMayQuoteValues() {
		assertThat(SqlErrors.withoutDetail(new SQLException("refused\n  Detail: (secret)", "23505")))
			.isEqualTo("refused [23505]");
		assertThat(SqlErrors.withoutDetail(new SQLException("refused"))).isEqualTo("refused [null]");
	}

	@Test
	void aCauseThatCannotBeReadIsNone() {
		SQLException mute = new SQLException("mute") {

			@Override
			public synchronized Throwable getCause() {
				throw new UnsupportedOperationException();
			}

		};
		assertThat(SqlErrors.causes(mute)).containsExactly(mute);
		assertThat(isOutcomeUnknown(mute)).isFalse();
	}

	@Test
	void causesThatGoRoundInACircleAreFollowedForAWhile() {
		SQLException first = new SQLException("first");
		SQLException second = new SQLException("second", first);
		first.initCause(second);
		assertThat(SqlErrors.causes(first)).hasSize(100).startsWith(first, second, first);
		assertThat(SqlErrors.isOutcomeUnknown(first)).isFalse();
	}

}
