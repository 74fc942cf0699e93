package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.Semaphore;

import javax.sql.DataSource;

import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

class DbTests {

	@Test
	void aSessionWhoseAnswerMayBeReadHalfIsNotUsedAgain() throws Exception {
		DataSource dataSource = mock(DataSource.class);
		Connection connection = mock(Connection.class);
		given(dataSource.getConnection()).willReturn(connection);
		given(connection.prepareStatement("select 1")).willReturn(mock(PreparedStatement.class));
		OutOfMemoryError error = new OutOfMemoryError("a test");
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> new Db(dataSource, Duration.ofSeconds(1)).run("try", "select 1", (statement) -> {
				throw error;
			}))
			.isSameAs(error);
		var order = inOrder(connection);
		order.verify(connection).abort(any());
		order.verify(connection).close();
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "1500, 1", "10000, 10" })
	void theDriverGivesUpAfterTheTimeOutInWholeSecondsAndNeverWaitsForever(int millis, int seconds) throws Exception {
		PreparedStatement statement = mock(PreparedStatement.class);
		DataSource dataSource = dataSource(statement);
		new Db(dataSource, Duration.ofMillis(millis)).run("try", "select 1", PreparedStatement::execute);
		var order = inOrder(statement);
		order.verify(statement).setQueryTimeout(seconds);
		order.verify(statement).execute();
	}

	@Test
	void theOutcomeOfAStatementIsUnknownOnlyOnceItWasSent() throws Exception {
		PreparedStatement statement = mock(PreparedStatement.class);
		given(statement.execute()).willThrow(new SQLException("broken", "08006"));
		assertThatFails(dataSource(statement)).matches(StoreException::isOutcomeUnknown, "unknown");
		DataSource away = mock(DataSource.class);
		given(away.getConnection()).willThrow(new SQLException("broken", "08006"));
		assertThatFails(away).matches((failure) -> !failure.isOutcomeUnknown(), "known");
	}

	private static ThrowableAssertAlternative<StoreException> assertThatFails(DataSource dataSource) {
		return assertThatExceptionOfType(StoreException.class).isThrownBy(
				() -> new Db(dataSource, Duration.ofSeconds(1)).run("try", "select 1", PreparedStatement::execute));
	}

	private static DataSource dataSource(PreparedStatement statement) throws SQLException {
		Connection connection = mock(Connection.class);
		given(connection.prepareStatement("select 1")).willReturn(statement);
		DataSource dataSource = mock(DataSource.class);
		given(dataSource.getConnection()).willReturn(connection);
		return dataSource;
	}

	@Test
	void durationsKeepTheirFractions() {
		assertThat(Db.seconds(Duration.ofMillis(-1_500))).isEqualTo(-1.5);
		assertThat(Db.seconds(Duration.ofNanos(2_000_000_250L))).isEqualTo(2.00000025);
		assertThat(Db.seconds(null)).isNull();
	}

	@Test
	void timesThatTheDriverTakesForInfiniteStaySo() {
		for (OffsetDateTime time : List.of(OffsetDateTime.MIN, OffsetDateTime.MAX)) {
			assertThat(Db.time(time.toInstant())).isEqualTo(time);
		}
		assertThat(Db.time(Instant.EPOCH)).isEqualTo("1970-01-01T00:00:00Z");
		assertThat(Db.time(null)).isNull();
	}

	@Test
	void whoIsInterruptedWhileOthersHaveTheConnectionsStaysInterrupted() {
		DataSource dataSource = mock(DataSource.class);
		Db db = new Db(dataSource, Duration.ofSeconds(1), new Semaphore(0));
		Thread.currentThread().interrupt();
		try {
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> db.run("try", "select 1", (statement) -> null))
				.withMessageContaining("interrupted while the connections for it were in use by others");
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
		verifyNoInteractions(dataSource);
	}

}
