package io.gator.fault;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Stands between a worker and PostgreSQL on the loopback interface, knows where messages
 * begin and end, and so can lose the answer to a certain statement after the server has
 * carried it out. Connections must not be encrypted.
 */
final class WireProxy implements Closeable {

	private final int target;

	private final ServerSocket listener;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final AtomicInteger dropped = new AtomicInteger();

	private final AtomicInteger seen = new AtomicInteger();

	private volatile Predicate<String> rule = (sql) -> false;

	private volatile int every = 1;

	private volatile boolean hole;

	private volatile boolean refusing;

	private volatile long delayNanos;

	WireProxy(int target) {
		this.target = target;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		daemon("accept", this::accept);
	}

	static boolean isClaim(String sql) {
		return sql.contains("attempts = attempts + 1");
	}

	static boolean isSettlement(String sql) {
		return sql.contains("and j.lease = ");
	}

	static boolean isCommit(String sql) {
		return sql.equalsIgnoreCase("commit");
	}

	int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Lose answers, and cut the connection instead.
	 * @param rule to which statements
	 * @param each every so many of them
	 */
	void loseAnswers(Predicate<String> rule, int each) {
		this.every = each;
		this.seen.set(0);
		this.rule = rule;
	}

	void loseNothing() {
		this.rule = (sql) -> false;
	}

	int lost() {
		return this.dropped.get();
	}

	/** Everything goes in and nothing comes out, in both directions. */
	void blackHole(boolean on) {
		this.hole = on;
	}

	/** New connections are closed at once. */
	void refuse(boolean on) {
		this.refusing = on;
	}

	void delay(long millis) {
		this.delayNanos = millis * 1_000_000;
	}

	/** Reset all connections. */
	void reset() {
		this.links.forEach(Link::reset);
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				if (this.refusing) {
					client.close();
					continue;
				}
				Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), this.target));
				this.links.add(link);
				daemon("up", link::up);
				daemon("down", link::down);
			}
			catch (IOException ex) {
				// The proxy is closed, or the server is away.
			}
		}
	}

	private static void daemon(String name, Runnable task) {
		Thread thread = new Thread(task, "proxy-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	private void hold() {
		while (this.hole) {
			LockSupport.parkNanos(20_000_000);
		}
	}

	@Override
	public void close() {
		this.hole = false;
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		reset();
	}

	/**
	 * One connection through the proxy.
	 */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private final Map<String, String> statements = new HashMap<>();

		private volatile boolean dropping;

		Link(Socket client, Socket server) throws IOException {
			this.client = client;
			this.server = server;
			// Messages are passed on one by one. Else each would wait until the other
			// side has acknowledged the one before, which takes 40 ms.
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
		}

		void reset() {
			WireProxy.this.links.remove(this);
			for (Socket socket : new Socket[] { this.client, this.server }) {
				try {
					socket.setSoLinger(true, 0);
					socket.close();
				}
				catch (IOException ex) {
					// It is closed already.
				}
			}
		}

		private void up() {
			try {
				DataInputStream in = new DataInputStream(this.client.getInputStream());
				OutputStream out = this.server.getOutputStream();
				int length = in.readInt();
				byte[] start = in.readNBytes(length - 4);
				hold();
				out.write(ByteBuffer.allocate(4).putInt(length).array());
				out.write(start);
				out.flush();
				while (true) {
					byte type = in.readByte();
					int size = in.readInt();
					byte[] body = in.readNBytes(size - 4);
					look(type, body);
					if (type == 'S' && WireProxy.this.delayNanos > 0) {
						LockSupport.parkNanos(WireProxy.this.delayNanos);
					}
					hold();
					out.write(message(type, size, body));
					out.flush();
				}
			}
			catch (IOException ex) {
				reset();
			}
		}

		private void look(byte type, byte[] body) {
			String sql = null;
			if (type == 'P') {
				String name = text(body, 0);
				sql = null;
				this.statements.put(name, text(body, name.length() + 1));
			}
			else if (type == 'B') {
				String portal = text(body, 0);
				sql = this.statements.get(text(body, portal.length() + 1));
			}
			else if (type == 'Q') {
				sql = text(body, 0);
			}
			if (sql != null && WireProxy.this.rule.test(sql)
					&& WireProxy.this.seen.incrementAndGet() % WireProxy.this.every == 0) {
				this.dropping = true;
			}
		}

		private void down() {
			try {
				DataInputStream in = new DataInputStream(this.server.getInputStream());
				OutputStream out = this.client.getOutputStream();
				while (true) {
					byte type = in.readByte();
					int size = in.readInt();
					byte[] body = in.readNBytes(size - 4);
					hold();
					// That the rows of a COPY may come now is no answer to it.
					if (!this.dropping || type == 'G') {
						out.write(message(type, size, body));
						if (in.available() == 0) {
							out.flush();
						}
					}
					else if (type == 'Z') {
						WireProxy.this.dropped.incrementAndGet();
						reset();
						return;
					}
				}
			}
			catch (IOException ex) {
				reset();
			}
		}

		private static byte[] message(byte type, int size, byte[] body) {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream(size + 1);
			bytes.write(type);
			bytes.writeBytes(ByteBuffer.allocate(4).putInt(size).array());
			bytes.writeBytes(body);
			return bytes.toByteArray();
		}

		private static String text(byte[] body, int from) {
			int end = from;
			while (end < body.length && body[end] != 0) {
				end++;
			}
			return new String(body, from, end - from, StandardCharsets.UTF_8);
		}

	}

}
