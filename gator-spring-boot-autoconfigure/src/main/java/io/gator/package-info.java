/**
 * What a user of Gator imports: annotations, {@link io.gator.JobTemplate} to dispatch,
 * {@link io.gator.JobAdmin} to look after jobs, {@link io.gator.JobPools} to change how
 * many run at once, {@link io.gator.JobContext} inside a handler, and the policies and
 * hooks around it.
 * <p>
 * Nothing here knows how jobs are kept or run: this package depends on no other package
 * of Gator. Semantic versioning covers this package and, in {@code io.gator.observation},
 * the conventions and their contexts; public types of other packages may change with any
 * version. The life of a job, in the words used everywhere else:
 *
 * <pre>
 * dispatch ─┬─────────────▶ WAITING ──claim──▶ RUNNING ──settle──┬─▶ SUCCEEDED
 *           │                  ▲                ▲   │            ├─▶ CANCELLED
 *           └─▶ SCHEDULED ─due─┘          claim │   │            └─▶ DEAD
 *                                               │   ▼
 *                                               FAILED
 * </pre>
 *
 * A snoozed job is SCHEDULED again (FAILED, if it has failed before), a job that is given
 * back has the state it had before, a dead job that is retried is FAILED, and a live job
 * may be cancelled at any time.
 * <p>
 * A <em>pool</em> is a group of slots in one process; a slot runs one job, or one batch,
 * at a time. The pool's row in {@code gator_worker} gives it an <em>identity</em>; that
 * number is the <em>worker id</em> wherever a job names the pool that holds it. A pool
 * that loses touch with the database takes a new identity. Where a name says
 * <em>worker</em> it means one pool; only the properties {@code gator.worker.*} are about
 * all pools of a process.
 * <p>
 * <em>Lease</em> has two meanings, which have nothing to do with each other. The lease of
 * a pool is how long it may be silent ({@code gator.worker.lease}). The lease of a job is
 * its fencing token, a number ({@code JobContext.lease()}, the column {@code lease}).
 */
@NullMarked
package io.gator;

import org.jspecify.annotations.NullMarked;
