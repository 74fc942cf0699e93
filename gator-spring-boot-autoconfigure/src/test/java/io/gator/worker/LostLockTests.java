package io.gator.worker;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.store.GatorStores;
import io.gator.store.WorkerStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.UnspeakableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.stubbing.Answer;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

/**
 * P7: what a pool makes of it when the session with its lock ends. The pool beats only
 * when it is told to.
 */
@FreshDatabase
class LostLockTests {

	private static final Duration HEARTBEAT = Duration.ofMillis(200);

	private final JdbcClient jdbc;

	private final Sessions sessions;

	private final GatorStores stores;

	private final WorkerStore workers;

	private final AtomicInteger failedBeats = new AtomicInteger();

	private volatile RuntimeException trouble;

	private final TestServices services;

	private final WorkerPool pool;

	private final NotificationListener listener;

	private long identity;

	LostLockTests(DatabaseHandle database) {
		JobTable.empty(database);
		this.jdbc = database.jdbc();
		this.sessions = new Sessions(database);
		this.stores = GatorStores.open(database.hikari(4), "public", Duration.ofSeconds(10), true);
		// Not stubbed later: other threads call it all the time.
		Answer<Object> store = delegatesTo(this.stores.workers());
		this.workers = mock(WorkerStore.class, (call) -> {
			RuntimeException failure = this.trouble;
			if (failure != null && call.getMethod().getName().equals("beat")) {
				this.failedBeats.incrementAndGet();
				throw failure;
			}
			return store.answer(call);
		});
		this.services = new TestServices(this.stores.jobs());
		this.pool = new WorkerPool(TestSettings.slots(1).heartbeat(HEARTBEAT).lease(Duration.ofMinutes(1)).get(),
				this.workers, this.services.get(), (queues) -> {
				});
		this.listener = new NotificationListener(
				GatorStores.open(this.sessions, "public", Duration.ofSeconds(10), true).notifications(),
				List.of(this.pool), HEARTBEAT);
	}

	@BeforeEach
	void lock() {
		this.jdbc.sql("truncate gator_worker").update();
		this.listener.start();
		this.pool.start();
		await().until(() -> this.jdbc.sql("select count(*) from gator_worker where locked")
			.query(Integer.class)
			.single() == 1);
		this.identity = this.pool.identities().iterator().next();
		this.pool.beat();
	}

	@AfterEach
	void end() {
		this.pool.stop();
		this.listener.stop();
		this.services.close();
	}

	@Test
	void aServerThatEndsTheSessionAndIsAwayExposesNobody() {
		this.sessions.away = true;
		this.jdbc.sql("select pg_terminate_backend(?)").param(this.sessions.pid).query().listOfRows();
		await().until(() -> this.sessions.refused.get() >= 2);
		await().during(HEARTBEAT.multipliedBy(5)).until(() -> this.pool.identities().contains(this.identity));
	}

	@Test
	void aSessionThatEndsIsRememberedForAWhile() {
		assertThat(this.listener.hasBroken(Duration.ofMinutes(1))).isFalse();
		this.jdbc.sql("select pg_terminate_backend(?)").param(this.sessions.pid).query().listOfRows();
		await().until(() -> this.listener.hasBroken(Duration.ofMinutes(1)));
		assertThat(this.listener.hasBroken(Duration.ZERO)).isFalse();
	}

	@Test
	void aSessionThatBreaksForNoReasonGivenExposesThePool() throws SQLException {
		this.sessions.away = true;
		this.sessions.last.abort(Runnable::run);
		await().until(() -> !this.pool.identities().contains(this.identity));
	}

	@Test
	void aListenerThatNeverHadASessionExposesNobody() {
		this.listener.stop();
		this.sessions.away = true;
		this.listener.start();
		await().until(() -> this.sessions.refused.get() >= 2);
		await().during(HEARTBEAT.multipliedBy(5)).until(() -> this.pool.identities().contains(this.identity));
		assertThat(this.listener.isListening()).isFalse();
	}

	@Test
	void aBeatThatFailsOnAnotherConnectionLeavesTheSessionAlone() {
		assertLeavesTheSessionAlone(new IllegalStateException("No connection is available"));
	}

	@Test
	void aBeatThatFailsLeavesTheSessionAloneThoughItsErrorCannotBeTold() {
		assertLeavesTheSessionAlone(new UnspeakableException());
	}

	private void assertLeavesTheSessionAlone(RuntimeException failure) {
		int session = this.sessions.pid;
		this.trouble = failure;
		for (int beats = 1; beats <= 2; beats++) {
			int failed = beats;
			this.stores.admin().notifyChange();
			await().until(() -> this.failedBeats.get() >= failed);
		}
		assertThat(this.sessions.pid).isEqualTo(session);
		assertThat(this.listener.isListening()).isTrue();
	}

	@Test
	void theServerKeepsTheSessionOfAProcessThatIsCutOffUntilItsLeaseIsOver() {
		JdbcClient session = JdbcClient.create(new SingleConnectionDataSource(this.sessions.last, true));
		assertThat(session.sql("show tcp_user_timeout").query(String.class).single()).isEqualTo("61000");
	}

	/** What the listener gets its sessions from. */
	private static final class Sessions extends AbstractDataSource {

		private final DatabaseHandle database;

		private final AtomicInteger refused = new AtomicInteger();

		private volatile boolean away;

		private volatile Connection last;

		private volatile int pid;

		Sessions(DatabaseHandle database) {
			this.database = database;
		}

		@Override
		public Connection getConnection() throws SQLException {
			if (this.away) {
				this.refused.incrementAndGet();
				throw new SQLTransientConnectionException("No connection is available");
			}
			Connection connection = this.database.createDataSource().getConnection();
			this.pid = connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();
			this.last = connection;
			return connection;
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

	}

}
