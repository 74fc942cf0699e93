package io.gator.test;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * PostgreSQL in a container, where a Docker engine answers.
 */
final class ContainerServer implements PostgresServer {

	private static final String IMAGE = "postgres:18-alpine";

	private final PostgreSQLContainer container;

	private ContainerServer(PostgreSQLContainer container) {
		this.container = container;
	}

	static boolean isPossible() {
		return DockerClientFactory.instance().isDockerAvailable();
	}

	@SuppressWarnings("resource") // ended by Testcontainers with the JVM
	static ContainerServer start() {
		PostgreSQLContainer container = new PostgreSQLContainer(IMAGE).withUsername("postgres")
			.withPassword("postgres")
			.withCommand("postgres", "-c", "max_connections=300", "-c", "fsync=off");
		container.start();
		return new ContainerServer(container);
	}

	@Override
	public String description() {
		return "container " + IMAGE + ", on port " + port() + " (fsync=off)";
	}

	@Override
	public String host() {
		return this.container.getHost();
	}

	@Override
	public int port() {
		return this.container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT);
	}

	@Override
	public String username() {
		return this.container.getUsername();
	}

	@Override
	public String password() {
		return this.container.getPassword();
	}

}
