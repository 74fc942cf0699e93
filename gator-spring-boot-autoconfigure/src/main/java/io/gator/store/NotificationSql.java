package io.gator.store;

import java.util.List;

/**
 * The statements that notify, and those of the sessions that wait to be notified.
 */
final class NotificationSql {

	/**
	 * Undo what was set up in a session, before its connection goes back to the
	 * connection pool.
	 */
	static final List<String> FORGET = List.of("unlisten *", "select pg_advisory_unlock_all()",
			"reset tcp_keepalives_idle; reset tcp_user_timeout");

	final String notify;

	final String outlast;

	final String lockWorker;

	final String markLocked;

	final String unlockRetired;

	NotificationSql(Sql sql) {
		// A notification is a hint, which need not survive a crash. With
		// synchronous_commit each one would wait for the disk.
		this.notify = sql.of("""
				select pg_notify(?, ?), set_config('synchronous_commit', 'off', true)
				""");
		this.outlast = sql.of("""
				select pg_catalog.set_config(name, ?, false)
				  from pg_catalog.pg_settings
				 where name in ('tcp_keepalives_idle', 'tcp_user_timeout')
				""");
		this.lockWorker = sql.of("""
				select pg_try_advisory_lock(hashtext('gator.{schemaName}'), ?)
				""");
		this.markLocked = sql.of("""
				update {schema}.gator_worker
				   set locked = ?
				 where id = ?
				""");
		this.unlockRetired = sql.of("""
				with retired as materialized (
				    select id
				      from unnest(?::bigint[]) as t(id)
				     where not exists (select 1 from {schema}.gator_worker w where w.id = t.id)
				)
				select id, pg_advisory_unlock(hashtext('gator.{schemaName}'), id::int) from retired
				""");
	}

	/** The name of a channel is no value, so it cannot be a parameter. */
	static String listen(String channel) {
		return "listen \"" + channel + '"';
	}

}
