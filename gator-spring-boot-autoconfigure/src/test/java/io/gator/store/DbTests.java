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
import org.junit.jupiter.api.BeforeEach;
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

	private final PreparedStatement statement = mock(PreparedStatement.class);

	private final Connection connection = mock(Connection.class);

	private final DataSource dataSource = mock(DataSource.class);

	private final Db db = new Db(this.dataSource, Duration.ofSeconds(1));

	@BeforeEach
	void connect() throws SQLException {
		given(this.connection.prepareStatement("select 1")).willReturn(this.statement);
		given(this.dataSource.getConnection()).willReturn(this.connection);
	}

	@Test
	void aSessionWhoseAnswerMayBeReadHalfIsNotUsedAgain() throws Exception {
		OutOfMemoryError error = new OutOfMemoryError("a test");
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> this.db.run("try", "select 1", (statement) -> {
				throw error;
			}))
			.isSameAs(error);
		var order = inOrder(this.connection);
		order.verify(this.connection).abort(any());
		order.verify(this.connection).close();
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "1500, 1", "10000, 10" })
	void theDriverGivesUpAfterTheTimeOutInWholeSecondsAndNeverWaitsForever(int millis, int seconds) throws Exception {
		new Db(this.dataSource, Duration.ofMillis(millis)).run("try", "select 1", PreparedStatement::execute);
		var order = inOrder(this.statement);
		order.verify(this.statement).setQueryTimeout(seconds);
		order.verify(this.statement).execute();
	}

	@Test
	void theOutcomeOfAStatementIsUnknownOnlyOnceItWasSent() throws Exception {
		SQLException broken = new SQLException("broken", "08006");
		given(this.statement.execute()).willThrow(broken);
		assertThatFails().matches(StoreException::isOutcomeUnknown, "unknown");
		given(this.dataSource.getConnection()).willThrow(broken);
		assertThatFails().matches((failure) -> !failure.isOutcomeUnknown(), "known");
	}

	private ThrowableAssertAlternative<StoreException> assertThatFails() {
		return assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.db.run("try", "select 1", PreparedStatement::execute));
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
		Db db = new Db(this.dataSource, Duration.ofSeconds(1), new Semaphore(0));
		Thread.currentThread().interrupt();
		try {
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> db.run("try", "select 1", (statement) -> null))
				.withMessageContaining("interrupted while the connections for it were in use by others");
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
		verifyNoInteractions(this.dataSource);
	}

}
