package io.gator.store;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A look for another notification, which the driver makes with a time-out of 1 ms.
 */
class PromptSocketFactoryTests {

	private ServerSocket server;

	private Socket socket;

	private Socket peer;

	@BeforeEach
	void connect() throws Exception {
		this.server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
		this.socket = new PromptSocketFactory().createSocket();
		this.socket.connect(new InetSocketAddress(this.server.getInetAddress(), this.server.getLocalPort()));
		this.peer = this.server.accept();
	}

	@AfterEach
	void close() throws Exception {
		this.socket.close();
		this.peer.close();
		this.server.close();
	}

	@Test
	void aLookAtNothingEndsAtOnce() throws Exception {
		this.socket.setSoTimeout(1);
		InputStream in = this.socket.getInputStream();
		// The socket's own message would be that it had waited.
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(in::read).withMessage("Nothing has come");
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> in.read(new byte[8], 0, 8))
			.withMessage("Nothing has come");
	}

	@Test
	void aLookFindsWhatHasCome() throws Exception {
		this.socket.setSoTimeout(10_000);
		InputStream in = this.socket.getInputStream();
		this.peer.getOutputStream().write(new byte[] { 1, 2, 3 });
		assertThat(in.read()).isOne();
		this.socket.setSoTimeout(1);
		assertThat(in.read(new byte[8], 0, 8)).isEqualTo(2);
	}

	@Test
	void anyOtherTimeOutIsWaitedFor() throws Exception {
		this.socket.setSoTimeout(2);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(this.socket.getInputStream()::read)
			.withMessageNotContaining("Nothing has come");
	}

}
