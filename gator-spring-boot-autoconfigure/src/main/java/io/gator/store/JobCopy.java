package io.gator.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Writes many jobs by {@code COPY}, which costs the server a fifth less than an insert of
 * the same rows. {@code COPY} cannot skip conflicts, so it is for jobs without a unique
 * key, and it returns nothing, so the ids are asked for afterwards. To take them from the
 * sequence before would cost the server more than to give one to each row as it reads it.
 */
final class JobCopy {

	private static final int BUFFER_BYTES = 64 * 1024;

	private static final int NULL = -1;

	/** The beginning of data in this format: its signature, no flags, no extension. */
	private static final byte[] HEADER = { 'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0, 0, 0,
			0, 0, 0, 0 };

	private static final short COLUMNS = 7;

	private static final short END = -1;

	private final DispatchSql sql;

	JobCopy(DispatchSql sql) {
		this.sql = sql;
	}

	/**
	 * Tell whether jobs can be written this way, and whether that pays.
	 * @param connection the application's, which its pool and others may have wrapped
	 * @param each what differs from job to job
	 * @return whether
	 * @throws SQLException if the connection does not say
	 */
	static boolean suits(Connection connection, List<NewArgs> each) throws SQLException {
		// With fewer rows the additional round trips cost more than is saved on them.
		return each.size() >= DispatchStore.SEVERAL_STATEMENTS && connection.isWrapperFor(PGConnection.class)
				&& isUtf8(connection.unwrap(PGConnection.class));
	}

	/** The server reads the bytes of a COPY as the session says that they are encoded. */
	private static boolean isUtf8(PGConnection connection) {
		return "UTF8".equals(connection.getParameterStatus("client_encoding"));
	}

	/**
	 * Write jobs.
	 * @param connection a connection that {@linkplain #suits}
	 * @param job what they have in common
	 * @param each what differs from one to the next, without unique keys
	 * @return their ids, in the same order
	 * @throws SQLException if the server refuses them, and then all of them
	 */
	List<Long> write(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
		Begun begun = begin(connection, job);
		CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(this.sql.copy);
		try {
			Rows rows = new Rows(copy, common(job, begun));
			for (NewArgs args : each) {
				rows.add(args);
			}
			DispatchSql.requireAll(job, each.size(), rows.end());
		}
		catch (SQLException | RuntimeException | Error ex) {
			// Until the copy is cancelled the connection takes nothing but rows.
			cancel(copy, ex);
			throw ex;
		}
		return ids(connection, job, begun, each.size());
	}

	private Begun begin(Connection connection, NewJob job) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.beforeCopy)) {
			DispatchSql.setTime(statement, 1, job);
			return Db.one(statement, (row) -> new Begun(row.getLong(1), row.getLong(2), row.getObject(3, Long.class)));
		}
	}

	private List<Long> ids(Connection connection, NewJob job, Begun begun, int count) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.copiedIds)) {
			statement.setLong(1, begun.before());
			statement.setInt(2, count);
			List<Long> ids = Db.one(statement, (row) -> {
				long last = row.getLong(1);
				Array scattered = row.getArray(2);
				return (scattered != null) ? Arrays.asList((Long[]) scattered.getArray())
						: LongStream.rangeClosed(last - count + 1, last).boxed().toList();
			});
			DispatchSql.requireAll(job, count, ids.size());
			return ids;
		}
	}

	private static byte[] common(NewJob job, Begun begun) {
		byte[] queue = bytes(job.queue());
		byte[] name = bytes(job.name());
		byte[] metadata = (job.metadata() != null) ? bytes(job.metadata()) : null;
		ByteBuffer common = ByteBuffer
			.allocate(5 * Integer.BYTES + 2 * Long.BYTES + queue.length + name.length + length(metadata));
		put(common, queue);
		put(common, name);
		put(common, metadata);
		common.putInt(Long.BYTES).putLong(begun.createdAt());
		if (begun.dueAt() != null) {
			common.putInt(Long.BYTES).putLong(begun.dueAt());
		}
		else {
			common.putInt(NULL);
		}
		return Arrays.copyOf(common.array(), common.position());
	}

	private static void cancel(CopyIn copy, Throwable failure) {
		try {
			if (copy.isActive()) {
				copy.cancelCopy();
			}
		}
		catch (SQLException ex) {
			failure.addSuppressed(ex);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static int length(byte @Nullable [] value) {
		return (value != null) ? value.length : 0;
	}

	private static void put(ByteBuffer buffer, byte @Nullable [] value) {
		if (value == null) {
			buffer.putInt(NULL);
		}
		else {
			buffer.putInt(value.length).put(value);
		}
	}

	/**
	 * What the server says before rows are sent. Its times are in microseconds since the
	 * beginning of 2000, as it keeps them itself.
	 *
	 * @param before an id that this session took, before those of the rows
	 * @param createdAt when they were dispatched
	 * @param dueAt when they are due, or {@code null} for now
	 */
	private record Begun(long before, long createdAt, @Nullable Long dueAt) {

	}

	/**
	 * Sends rows in pieces, so that the server works on the first ones while the next
	 * ones are written.
	 */
	private static final class Rows {

		private final CopyIn copy;

		private final byte[] common;

		private ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

		Rows(CopyIn copy, byte[] common) {
			this.copy = copy;
			this.common = common;
			this.buffer.put(HEADER);
		}

		void add(NewArgs job) throws SQLException {
			byte[] args = bytes(job.args());
			byte[] batchKey = (job.batchKey() != null) ? bytes(job.batchKey()) : null;
			makeRoom(Short.BYTES + 2 * Integer.BYTES + this.common.length + args.length + length(batchKey));
			this.buffer.putShort(COLUMNS).put(this.common);
			put(this.buffer, batchKey);
			put(this.buffer, args);
		}

		long end() throws SQLException {
			makeRoom(Short.BYTES);
			this.buffer.putShort(END);
			send();
			return this.copy.endCopy();
		}

		private void makeRoom(int bytes) throws SQLException {
			if (this.buffer.remaining() < bytes) {
				send();
				if (this.buffer.capacity() < bytes) {
					this.buffer = ByteBuffer.allocate(bytes);
				}
			}
		}

		private void send() throws SQLException {
			this.copy.writeToCopy(this.buffer.array(), 0, this.buffer.position());
			this.buffer.clear();
		}

	}

}
