package io.gator.fault;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import javax.tools.ToolProvider;

/**
 * A version of an application, compiled into a directory that stands before everything
 * else on the class path of its processes. Another version has classes of the same names.
 */
final class Version {

	private final Path classes;

	private Version(Path classes) {
		this.classes = classes;
	}

	/**
	 * Compile a version.
	 * @param name the name of the version
	 * @param directory where to put its classes
	 * @return the version
	 */
	static Version compile(String name, Path directory) throws IOException, URISyntaxException {
		Path classes = Files.createDirectory(directory.resolve(name));
		int status = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-d", classes.toString(), "-cp", WorkerProcess.classPath(), "-proc:none",
					resource(name + "/Shop.java").toString());
		if (status != 0) {
			throw new IllegalStateException("The version " + name + " does not compile");
		}
		return new Version(classes);
	}

	/**
	 * Give it a migration of Gator's tables, as if its Gator were a later one.
	 * @param script the script
	 * @return this
	 */
	Version withMigration(String script) throws IOException, URISyntaxException {
		Path migrations = Files.createDirectories(this.classes.resolve("io/gator/migration"));
		Path source = resource(script);
		Files.copy(source, migrations.resolve(source.getFileName()));
		return this;
	}

	String classPath() {
		return this.classes + File.pathSeparator + WorkerProcess.classPath();
	}

	private static Path resource(String name) throws URISyntaxException {
		URL resource = Objects.requireNonNull(Version.class.getResource(name), name);
		return Path.of(resource.toURI());
	}

}
