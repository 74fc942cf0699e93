package io.gator.store;

import org.jspecify.annotations.Nullable;

/**
 * How the table of live jobs is, as PostgreSQL's statistics tell.
 *
 * @param liveRows rows that a new transaction sees, an estimate
 * @param deadRows rows that vacuum has to take away, an estimate
 * @param bytes the size of the table and its indexes
 * @param updates updates since the statistics began
 * @param hotUpdates those of them that touched no index
 * @param sinceAutovacuum seconds since the last autovacuum has ended, {@code null} if
 * there was none
 * @param oldestSnapshot the age in seconds of the oldest snapshot that keeps dead rows
 * from being taken away; 0 if there is none
 * @param notificationQueue which share of the server's notification queue is in use
 */
public record TableFacts(double liveRows, double deadRows, double bytes, double updates, double hotUpdates,
		@Nullable Double sinceAutovacuum, double oldestSnapshot, double notificationQueue) {

}
