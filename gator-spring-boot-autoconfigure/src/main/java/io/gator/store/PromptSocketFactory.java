package io.gator.store;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

/**
 * Creates sockets that say at once that nothing has come. After each notification the
 * driver looks whether there is another one, by a read with the shortest time-out there
 * is, and hands out the first one only after that read: without these sockets each
 * wake-up would come a millisecond late. Public, and with its constructor, because the
 * driver creates it by its name.
 */
public final class PromptSocketFactory extends SocketFactory {

	/** The driver's time-out for a look, in milliseconds. */
	private static final int LOOK_MILLIS = 1;

	/**
	 * Create a factory.
	 */
	public PromptSocketFactory() {
	}

	@Override
	public Socket createSocket() {
		return new PromptSocket();
	}

	@Override
	public Socket createSocket(String host, int port) throws IOException {
		return connected(new InetSocketAddress(host, port), null);
	}

	@Override
	public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
		return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
	}

	@Override
	public Socket createSocket(InetAddress host, int port) throws IOException {
		return connected(new InetSocketAddress(host, port), null);
	}

	@Override
	public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
		return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
	}

	private static Socket connected(InetSocketAddress remote, @Nullable InetSocketAddress local) throws IOException {
		Socket socket = new PromptSocket();
		try {
			socket.bind(local);
			socket.connect(remote);
			return socket;
		}
		catch (IOException ex) {
			socket.close();
			throw ex;
		}
	}

	private static final class PromptSocket extends Socket {

		private volatile boolean looking;

		@Override
		public synchronized void setSoTimeout(int timeout) throws SocketException {
			super.setSoTimeout(timeout);
			this.looking = (timeout == LOOK_MILLIS);
		}

		@Override
		public InputStream getInputStream() throws IOException {
			return new FilterInputStream(super.getInputStream()) {
				@Override
				public int read() throws IOException {
					look();
					return super.read();
				}

				@Override
				public int read(byte[] bytes, int from, int length) throws IOException {
					look();
					return super.read(bytes, from, length);
				}

				private void look() throws IOException {
					if (PromptSocket.this.looking && available() == 0) {
						throw new SocketTimeoutException("Nothing has come");
					}
				}
			};
		}

	}

}
