package io.gator.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL of the benchmark's own, from an archive on the class path.
 * <p>
 * The library switches {@code fsync} off with {@code -F}; a setting given later on the
 * command line wins, so it is switched on again, and {@link Database#requireDurable()}
 * asks the running server. Its archive is unpacked under a lock into a directory that
 * nobody else can enter, as in the tests.
 */
final class Server implements AutoCloseable {

	private static final String WORKING_DIRECTORY = "ot.epg.working-dir";

	/**
	 * The server's settings beside its defaults: durable, counted, and with room for the
	 * working set and a checkpoint distance as of any small production server.
	 */
	static final Map<String, String> SETTINGS = new TreeMap<>(Map.of("fsync", "on", "synchronous_commit", "on",
			"full_page_writes", "on", "max_connections", "200", "shared_buffers", "1GB", "max_wal_size", "8GB",
			"checkpoint_timeout", "15min", "shared_preload_libraries", "pg_stat_statements"));

	private final EmbeddedPostgres postgres;

	private Server(EmbeddedPostgres postgres) {
		this.postgres = postgres;
	}

	static Server start() {
		try {
			Path home = privateDirectory();
			Path workingDirectory = home.resolve("embedded");
			System.setProperty(WORKING_DIRECTORY, workingDirectory.toString());
			try (FileChannel channel = FileChannel.open(home.resolve("start.lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE)) {
				channel.lock(); // until the channel is closed
				EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
					.setDataDirectory(workingDirectory.resolve("data-" + UUID.randomUUID()).toFile())
					.setLocaleConfig("locale", "C")
					.setPGStartupWait(Duration.ofSeconds(60));
				SETTINGS.forEach(builder::setServerConfig);
				return new Server(builder.start());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The embedded PostgreSQL did not start; give the URL of another", ex);
		}
	}

	private static Path privateDirectory() throws IOException {
		Path directory = Path.of(System.getProperty("java.io.tmpdir"),
				"gator-postgres-" + System.getProperty("user.name"));
		Files.createDirectories(directory);
		if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
			Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
		}
		return directory;
	}

	Database database() {
		return Database.at("jdbc:postgresql://localhost:" + this.postgres.getPort() + "/postgres", "postgres",
				"postgres");
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
