package io.gator.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate that a server signs for itself, in the files where it looks for it.
 */
final class ServerCertificate {

	private static final String PASSWORD = "changeit";

	private ServerCertificate() {
	}

	static void writeTo(Path directory) throws IOException, GeneralSecurityException {
		Path store = directory.resolve("server.p12");
		CommandLine.run(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
				"-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost", "-storetype", "PKCS12", "-storepass",
				PASSWORD, "-keystore", store.toString()));
		KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
		write(directory.resolve("server.crt"), "CERTIFICATE", keys.getCertificate("server").getEncoded());
		write(directory.resolve("server.key"), "PRIVATE KEY",
				keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
	}

	private static void write(Path file, String kind, byte[] content) throws IOException {
		String text = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		Files.writeString(file, "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, text));
		// The server takes no key that others may read.
		EmbeddedServer.allow(file, "rw-------");
	}

}
