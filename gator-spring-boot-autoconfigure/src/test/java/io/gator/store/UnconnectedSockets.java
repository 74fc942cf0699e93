package io.gator.store;

import java.net.InetAddress;
import java.net.Socket;

import javax.net.SocketFactory;

/**
 * Makes sockets as the driver asks for them: it connects them itself.
 */
public abstract class UnconnectedSockets extends SocketFactory {

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
