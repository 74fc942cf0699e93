package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Writes new jobs, on a connection of the caller's choice: the one of its transaction.
 * Never commits.
 */
public interface DispatchStore {

	/**
	 * Insert one job, in one round trip.
	 * @param connection the connection
	 * @param job the job
	 * @param args its arguments and keys
	 * @return its id, or that of the live job with the same unique key
	 * @throws SQLException if the database refuses or fails
	 */
	Inserted insert(Connection connection, NewJob job, NewArgs args) throws SQLException;

	/**
	 * From how many jobs on {@link #insertMany} takes several statements, which together
	 * are all or none only in a transaction. With unique keys it may take several for any
	 * number of jobs.
	 */
	int SEVERAL_STATEMENTS = 2_000;

	/**
	 * Insert many jobs.
	 * @param connection the connection
	 * @param job what is the same for all of them
	 * @param each what differs; not empty, some thousands at most
	 * @return their ids, or those of the live jobs with the same unique keys
	 * @throws SQLException if the database refuses or fails
	 */
	Inserted insertMany(Connection connection, NewJob job, List<NewArgs> each) throws SQLException;

	/**
	 * Make a queue known, so that pools which serve all queues see it. Unlike the inserts
	 * it works on a connection and in a transaction of its own.
	 * @param queue the queue
	 */
	void register(String queue);

}
