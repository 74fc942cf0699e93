package io.gator.test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import static org.awaitility.Awaitility.await;

/**
 * An embedded PostgreSQL of a test's own, which it may stop and start again on the same
 * port. It ends with the JVM.
 */
public final class StoppableServer implements PostgresServer, AutoCloseable {

	private final EmbeddedPostgres postgres;

	private final File programs;

	private final File data;

	private final List<DatabaseHandle> databases = new CopyOnWriteArrayList<>();

	private StoppableServer(EmbeddedPostgres postgres) {
		this.postgres = postgres;
		this.programs = field(postgres, "pgDir");
		this.data = field(postgres, "dataDirectory");
	}

	public static StoppableServer start() {
		return new StoppableServer(EmbeddedServer.startPostgres());
	}

	private static File field(EmbeddedPostgres postgres, String name) {
		try {
			Field field = EmbeddedPostgres.class.getDeclaredField(name);
			field.setAccessible(true);
			return (File) field.get(postgres);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Make an empty database.
	 * @return the database, dropped when closed
	 */
	public synchronized DatabaseHandle createDatabase() {
		String name = "fault_" + (this.databases.size() + 1);
		administer("create database " + name + " template template0 encoding 'UTF8'");
		DatabaseHandle database = new DatabaseHandle(this, name);
		this.databases.add(database);
		return database;
	}

	@Override
	public void administer(String sql) {
		execute(url("postgres"), sql);
	}

	private void execute(String url, String sql) {
		try (Connection connection = DriverManager.getConnection(url, username(), password());
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("Cannot run: " + sql, ex);
		}
	}

	/**
	 * Let the server take encrypted sessions as well. Returns when it does.
	 */
	public void encrypt() {
		try {
			ServerCertificate.writeTo(this.data.toPath());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
		administer("alter system set ssl = on");
		administer("select pg_reload_conf()");
		await().ignoreExceptions().untilAsserted(() -> execute(url("postgres") + "?sslmode=require", "select 1"));
	}

	/**
	 * Stop the server.
	 * @param mode {@code fast} or {@code immediate}, as {@code pg_ctl} knows them
	 */
	public void stop(String mode) {
		control("stop", "-m", mode);
	}

	/**
	 * Start the server again, on the same port. The pools of its databases begin with new
	 * sessions.
	 */
	public void startAgain() {
		startAgain("");
	}

	/**
	 * Start the server again as a standby that is promoted once it has read the log of a
	 * server which was stopped in mode {@code immediate}. Returns when it takes writes:
	 * {@code pg_ctl} is content with a standby that answers.
	 */
	public void startPromoted() {
		try {
			Files.createFile(this.data.toPath().resolve("recovery.signal"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		startAgain(" -c restore_command=false");
		await().ignoreExceptions().untilAsserted(() -> administer("select pg_current_wal_lsn()"));
	}

	private void startAgain(String options) {
		control("start", "-l", new File(this.data, "again.log").getPath(), "-o",
				"-p " + port() + " -F -c max_connections=300 -c synchronous_commit=on" + options);
		this.databases.forEach(DatabaseHandle::renew);
	}

	private void control(String... arguments) {
		List<String> command = new ArrayList<>();
		if ("root".equals(System.getProperty("user.name"))) {
			command.addAll(List.of("unshare", "-U"));
		}
		command.add(Path.of(this.programs.getPath(), "bin", "pg_ctl").toString());
		command.addAll(List.of("-D", this.data.getPath(), "-w"));
		command.addAll(List.of(arguments));
		CommandLine.run(command);
	}

	@Override
	public String description() {
		return "embedded, a test's own, on port " + port();
	}

	@Override
	public String host() {
		return "localhost";
	}

	@Override
	public int port() {
		return this.postgres.getPort();
	}

	@Override
	public String username() {
		return "postgres";
	}

	@Override
	public String password() {
		return "postgres";
	}

	@Override
	public void close() {
		try {
			this.postgres.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
