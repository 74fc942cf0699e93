package io.gator.dispatch;

/**
 * Jobs of one name on one queue that were dispatched in one transaction.
 *
 * @param name the name of the jobs
 * @param queue the queue
 * @param count how many they are
 */
public record Dispatched(String name, String queue, int count) {

}
