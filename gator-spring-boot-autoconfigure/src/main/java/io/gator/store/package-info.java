/**
 * The ports through which Gator keeps its jobs, and PostgreSQL behind them. The only
 * package with SQL.
 * <p>
 * Ports are cut by who uses them: {@link io.gator.store.DispatchStore} for those who
 * dispatch, {@link io.gator.store.JobStore} for pools that claim and settle,
 * {@link io.gator.store.WorkerStore} for liveness and rescue,
 * {@link io.gator.store.UpkeepStore} for what has to be done now and then,
 * {@link io.gator.store.AdminStore} for people who look at jobs and act on them,
 * {@link io.gator.store.InsightStore} for figures about the whole. The statements of each
 * stand in a class of their own, with the reason for each line that looks odd; those that
 * only look at the server or measure a table stand where they are sent.
 * <p>
 * {@link io.gator.store.TransactionResources} has no statement of its own. It stands here
 * because dispatches and transactional attempts both write on a connection that is not
 * the engine's and find it by the same rule, but their packages do not know each other.
 * <p>
 * Rules that every statement keeps, each with a test that fails otherwise:
 * <ul>
 * <li>What a pool writes about a job is fenced by the lease under which it claimed it. A
 * row that does not match was lost to somebody else and is left alone.</li>
 * <li>Only the database's clock is asked.</li>
 * <li>A claim is a HOT update: it changes no indexed value, except the key of jobs that
 * are unique until they start.</li>
 * <li>Correctness never depends on session state, so a pooler in transaction mode is
 * fine. Plans, wake-ups and quick rescue use session state where there is no pooler.</li>
 * </ul>
 */
@NullMarked
package io.gator.store;

import org.jspecify.annotations.NullMarked;
