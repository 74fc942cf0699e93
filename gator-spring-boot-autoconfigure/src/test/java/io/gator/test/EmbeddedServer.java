package io.gator.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.UUID;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * PostgreSQL from an archive on the class path, for machines without a Docker engine.
 * <p>
 * The library unpacks into one directory shared by all users, and two JVMs that start at
 * once may unpack over each other's running server. So each user has a directory that
 * nobody else can enter, and a lock held until the server is up lets one JVM in at a
 * time.
 */
final class EmbeddedServer implements PostgresServer {

	private static final String WORKING_DIRECTORY = "ot.epg.working-dir";

	private final EmbeddedPostgres postgres;

	private EmbeddedServer(EmbeddedPostgres postgres) {
		this.postgres = postgres;
	}

	static EmbeddedServer start() {
		return new EmbeddedServer(startPostgres());
	}

	static EmbeddedPostgres startPostgres() {
		try {
			Path home = privateDirectory();
			Path workingDirectory = home.resolve("embedded");
			// Also where servers left behind by killed JVMs are looked for and ended.
			System.setProperty(WORKING_DIRECTORY, workingDirectory.toString());
			try (FileChannel channel = FileChannel.open(home.resolve("start.lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE)) {
				channel.lock(); // until the channel is closed
				return EmbeddedPostgres.builder()
					.setDataDirectory(workingDirectory.resolve("data-" + UUID.randomUUID()).toFile())
					.setLocaleConfig("locale", "C")
					.setServerConfig("max_connections", "300")
					// Nothing here outlives the machine; benchmarks never do this.
					.setServerConfig("fsync", "off")
					// The library's default is off, but commits are to be seen as in
					// production.
					.setServerConfig("synchronous_commit", "on")
					.setPGStartupWait(Duration.ofSeconds(60))
					.start();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The embedded PostgreSQL did not start. Run as root it needs a kernel that "
					+ "lets 'unshare -U' work; any other user needs nothing.", ex);
		}
	}

	private static Path privateDirectory() throws IOException {
		Path directory = Path.of(System.getProperty("java.io.tmpdir"),
				"gator-postgres-" + System.getProperty("user.name"));
		Files.createDirectories(directory);
		// Fails where somebody else made the directory, which is what it should do.
		allow(directory, "rwx------");
		return directory;
	}

	static void allow(Path file, String permissions) throws IOException {
		if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
			Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
		}
	}

	@Override
	public String description() {
		return "embedded, no Docker engine needed, on port " + port() + " (fsync=off)";
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

}
