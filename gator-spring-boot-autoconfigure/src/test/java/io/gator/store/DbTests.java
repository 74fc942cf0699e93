package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.concurrent.Semaphore;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

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
