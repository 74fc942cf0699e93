package io.gator.leads.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.UUID;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * A PostgreSQL that lives as long as this process and is empty at each start.
 * <p>
 * It is unpacked into a directory that no other user can enter, by one process at a time.
 */
final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedDatabase.class);

	private final EmbeddedPostgres postgres;

	EmbeddedDatabase() {
		this.postgres = start();
		logger.info("Embedded PostgreSQL on port {}; its data end with this process", this.postgres.getPort());
	}

	private static EmbeddedPostgres start() {
		try {
			Path home = privateDirectory();
			Path workingDirectory = home.resolve("embedded");
			System.setProperty("ot.epg.working-dir", workingDirectory.toString());
			try (FileChannel channel = FileChannel.open(home.resolve("start.lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE)) {
				channel.lock(); // until the channel is closed
				return EmbeddedPostgres.builder()
					.setDataDirectory(workingDirectory.resolve("data-" + UUID.randomUUID()))
					.setLocaleConfig("locale", "C")
					.setPGStartupWait(Duration.ofSeconds(60))
					// The application context ends it, after all that uses it.
					.setRegisterShutdownHook(false)
					.start();
			}
		}
		catch (IOException | RuntimeException ex) {
			throw new EmbeddedServerException("The embedded PostgreSQL did not start: " + ex.getMessage(),
					"Start a PostgreSQL of your own and set SPRING_DATASOURCE_URL, SPRING_DATASOURCE_USERNAME and "
							+ "SPRING_DATASOURCE_PASSWORD. If you are root and the kernel does not let 'unshare -U' "
							+ "work, any other user will do as well.",
					ex);
		}
	}

	private static Path privateDirectory() throws IOException {
		Path directory = Path.of(System.getProperty("java.io.tmpdir"),
				"gator-postgres-" + System.getProperty("user.name"));
		Files.createDirectories(directory);
		if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
			// Fails where somebody else made the directory, which is what it should do.
			Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
		}
		return directory;
	}

	@Override
	public String getJdbcUrl() {
		return "jdbc:postgresql://localhost:" + this.postgres.getPort() + "/postgres";
	}

	@Override
	public String getUsername() {
		return "postgres";
	}

	@Override
	public String getPassword() {
		return "postgres";
	}

	@Override
	public void close() throws IOException {
		this.postgres.close();
	}

}
