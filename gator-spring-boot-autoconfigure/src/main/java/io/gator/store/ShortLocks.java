package io.gator.store;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Lets a migration wait for the lock of a table for a moment only: the claims and
 * dispatches of an application that still runs wait behind the migration. The time-out is
 * set for the transaction of the migration, because behind a pooler the session is not
 * its own.
 */
final class ShortLocks implements Callback {

	private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

	@Override
	public boolean supports(Event event, Context context) {
		return event == Event.BEFORE_EACH_MIGRATE;
	}

	@Override
	public boolean canHandleInTransaction(Event event, Context context) {
		return true;
	}

	@Override
	public void handle(Event event, Context context) {
		try (Statement statement = context.getConnection().createStatement()) {
			statement.execute("set local lock_timeout = " + LOCK_TIMEOUT.toMillis());
		}
		catch (SQLException ex) {
			throw new FlywayException("The lock time-out cannot be set: " + SqlErrors.withoutDetail(ex), ex);
		}
	}

	@Override
	public String getCallbackName() {
		return "short locks";
	}

}
