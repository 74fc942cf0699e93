package io.gator.store;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * The channel on which the processes that share a schema tell each other of work and of
 * what people have changed, and the form of its notifications.
 */
final class Channel {

	/**
	 * From which length on a list of queues is not sent: a notification holds less than
	 * 8,000 bytes.
	 */
	private static final int LONGEST = 7_000;

	private final String name;

	private final String process = UUID.randomUUID().toString();

	private final String notify;

	Channel(NotificationSql sql, String schema) {
		this.name = name(schema);
		this.notify = sql.notify;
	}

	/**
	 * PostgreSQL's names have 63 characters: a longer one of a channel is cut off where
	 * somebody listens, and refused where somebody notifies.
	 */
	private static String name(String schema) {
		String name = "gator_" + schema;
		return (name.length() <= 63) ? name
				: name.substring(0, 54) + String.format(Locale.ROOT, "_%08x", schema.hashCode());
	}

	String name() {
		return this.name;
	}

	/**
	 * Wake the pools of other processes. A process does not hear itself: its own pools
	 * are woken without the detour.
	 * @param db where to say it
	 * @param queues the queues that have work
	 */
	void notifyWork(Db db, Collection<String> queues) {
		String all = String.join(",", queues);
		say(db, "notify other pools", this.process + ':' + ((all.length() < LONGEST) ? all : Notifications.ANYWHERE));
	}

	/**
	 * Tell all processes, this one too, that pools are to ask what has changed.
	 * @param db where to say it
	 */
	void notifyChange(Db db) {
		say(db, "notify all pools", Notifications.CHANGE);
	}

	private void say(Db db, String what, String payload) {
		db.run(what, this.notify, (statement) -> {
			statement.setString(1, this.name);
			statement.setString(2, payload);
			return statement.execute();
		});
	}

	/**
	 * Read a notification.
	 * @param payload what a notification holds
	 * @return the queues that have work, {@link Notifications#ANYWHERE} or
	 * {@link Notifications#CHANGE} among them; empty if there is nothing in it for this
	 * process
	 */
	List<String> heard(String payload) {
		if (payload.equals(Notifications.CHANGE)) {
			return List.of(payload);
		}
		String[] parts = payload.split(":", 2);
		// A notification of another form comes from somebody else, or from another
		// version.
		return (parts.length == 2 && !parts[0].equals(this.process)) ? Arrays.asList(parts[1].split(",", -1))
				: List.of();
	}

}
