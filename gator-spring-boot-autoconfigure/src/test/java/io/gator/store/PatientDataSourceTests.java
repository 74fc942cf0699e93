package io.gator.store;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.net.SocketFactory;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.StoppableServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

@FreshDatabase
class PatientDataSourceTests {

	@Test
	void aServerThatTakesNobodyOfThisNameIsThere(DatabaseHandle database) throws SQLException {
		PatientDataSource source = new PatientDataSource(database.url(), new Properties());
		assertThat(source.isRefused()).isFalse();
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> source.getConnection("nobody", "none"));
		assertThat(source.isRefused()).isTrue();
		source.getConnection(database.username(), database.password()).close();
		assertThat(source.isRefused()).isFalse();
	}

	@Test
	void aServerThatHangsIsLeftForTheNextInTheUrlSoonerThanAStatementIsGivenUp(DatabaseHandle database)
			throws IOException, SQLException {
		Properties properties = new Properties();
		properties.setProperty("user", database.username());
		properties.setProperty("password", database.password());
		properties.setProperty("socketTimeout", "60");
		properties.setProperty("sslmode", "disable");
		properties.setProperty("connectTimeout", "3");
		properties.setProperty("socketFactory", FarAway.class.getName());
		// It takes connections and reads nothing from them.
		try (ServerSocket hanging = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
			String url = behind(hanging, database);
			PatientDataSource source = new PatientDataSource(url, properties);
			try (Connection opened = assertTimeoutPreemptively(Duration.ofSeconds(30), () -> source.getConnection())) {
				assertThat(opened.getNetworkTimeout()).isEqualTo(60_000);
			}
			hanging.accept().close();
			source.getConnection().close();
			hanging.setSoTimeout(1);
			assertThatExceptionOfType(SocketTimeoutException.class).as("it is asked again at once")
				.isThrownBy(hanging::accept);
		}
	}

	@Test
	void itIsSoWhateverTheUrlOfTheApplicationSays(DatabaseHandle database) throws IOException, SQLException {
		HikariConfig config = new HikariConfig();
		config.setUsername(database.username());
		config.setPassword(database.password());
		try (ServerSocket hanging = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
			String url = behind(hanging, database);
			config.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + "socketTimeout=60&sslmode=disable");
			EngineConfig.adapt(config, 1, Duration.ofSeconds(10), false);
			try (Connection opened = assertTimeoutPreemptively(Duration.ofSeconds(30),
					() -> config.getDataSource().getConnection(database.username(), database.password()))) {
				assertThat(opened.getNetworkTimeout()).isEqualTo(15_000);
			}
		}
	}

	@Test
	void anEngineDoesNotTakeAStandbyBecauseItsApplicationOnlyPrefersThePrimary() throws SQLException {
		try (StoppableServer standby = StoppableServer.start(); StoppableServer primary = StoppableServer.start()) {
			DatabaseHandle copy = standby.createDatabase();
			DatabaseHandle original = primary.createDatabase();
			standby.administer("alter database " + copy.name() + " set default_transaction_read_only = on");
			assertThat(copy.name()).isEqualTo(original.name());
			HikariConfig config = new HikariConfig();
			config.setJdbcUrl("jdbc:postgresql://%s:%d,%s:%d/%s?targetServerType=preferPrimary"
				.formatted(standby.host(), standby.port(), primary.host(), primary.port(), original.name()));
			EngineConfig.adapt(config, 1, Duration.ofSeconds(10), false);
			try (Connection opened = config.getDataSource().getConnection(original.username(), original.password());
					Statement statement = opened.createStatement()) {
				statement.execute("create table written (id int)");
			}
		}
	}

	private static String behind(ServerSocket hanging, DatabaseHandle database) {
		return database.url()
			.replaceFirst("//", "//" + hanging.getInetAddress().getHostAddress() + ":" + hanging.getLocalPort() + ",");
	}

	@Test
	void whoWaitsForAServerThatIsAwayWaitsNoLongerOnceItIsClosed() {
		PatientDataSource source = new PatientDataSource("jdbc:postgresql://localhost:1/none", new Properties());
		ExecutorService pool = Executors.newSingleThreadExecutor();
		try {
			Future<Connection> opened = pool.submit(() -> source.getConnection());
			await().until(() -> source.trouble() != null);
			assertThat(opened).isNotDone();
			assertThat(source.isRefused()).as("it is not there").isFalse();
			source.close();
			assertThat(opened).failsWithin(Duration.ofSeconds(30))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(SQLException.class);
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Test
	void whoIsInterruptedWaitsNoLongerAndStaysSo() {
		PatientDataSource source = new PatientDataSource("jdbc:postgresql://localhost:1/none", new Properties());
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(SQLException.class).isThrownBy(source::getConnection);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aServerThatIsBackIsNoTroubleAnyMore(DatabaseHandle database) throws Exception {
		Properties properties = new Properties();
		properties.setProperty("socketFactory", Breakable.class.getName());
		PatientDataSource source = new PatientDataSource(database.url(), properties);
		ExecutorService pool = Executors.newSingleThreadExecutor();
		Breakable.broken = true;
		try {
			Future<Connection> opened = pool
				.submit(() -> source.getConnection(database.username(), database.password()));
			await().until(() -> source.trouble() != null);
			Breakable.broken = false;
			try (Connection connection = opened.get(30, TimeUnit.SECONDS)) {
				assertThat(connection.isClosed()).isFalse();
				assertThat(source.trouble()).isNull();
			}
		}
		finally {
			Breakable.broken = false;
			Breakable.refused = null;
			source.close();
			pool.shutdownNow();
		}
	}

	@Test
	void anEngineThatIsClosedWhileTheServerIsAwayLooksForItNoMore(DatabaseHandle database) throws SQLException {
		HikariDataSource application = new HikariDataSource();
		application.setJdbcUrl(database.url());
		application.setUsername(database.username());
		application.setPassword(database.password());
		application.addDataSourceProperty("socketFactory", Breakable.class.getName());
		try {
			try (application;
					EngineDataSource engine = EngineDataSource.derive(application, 1, Duration.ofSeconds(10))) {
				engine.getConnection().close();
				Breakable.broken = true;
				engine.renew();
				await().until(() -> Breakable.refused != null);
			}
			await().until(() -> !Objects.requireNonNull(Breakable.refused).isAlive());
		}
		finally {
			Breakable.broken = false;
			Breakable.refused = null;
		}
	}

	/** Makes sockets to servers that cannot be reached within a few milliseconds. */
	public static final class FarAway extends UnconnectedSockets {

		@Override
		public Socket createSocket() {
			return new Socket() {
				@Override
				public void connect(SocketAddress server, int timeout) throws IOException {
					if (timeout < 100) {
						throw new SocketTimeoutException("It is farther away than " + timeout + " ms");
					}
					super.connect(server, timeout);
				}
			};
		}

	}

	/** Makes sockets while the network is there. */
	public static final class Breakable extends UnconnectedSockets {

		private static volatile boolean broken;

		private static volatile @Nullable Thread refused;

		@Override
		public Socket createSocket() throws IOException {
			if (broken) {
				refused = Thread.currentThread();
				throw new ConnectException("the network is away");
			}
			return new Socket();
		}

	}

	/** Makes sockets as the driver asks for them: it connects them itself. */
	abstract static class UnconnectedSockets extends SocketFactory {

		@Override
		public final Socket createSocket(String host, int port) {
			throw new UnsupportedOperationException();
		}

		@Override
		public final Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
			throw new UnsupportedOperationException();
		}

		@Override
		public final Socket createSocket(InetAddress host, int port) {
			throw new UnsupportedOperationException();
		}

		@Override
		public final Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
			throw new UnsupportedOperationException();
		}

	}

}
