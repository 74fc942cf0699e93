/**
 * What a user of Gator imports: annotations, {@link io.gator.JobTemplate} to dispatch,
 * {@link io.gator.JobAdmin} to look after jobs, {@link io.gator.JobContext} inside a
 * handler, and the policies and hooks around it.
 * <p>
 * Nothing here knows how jobs are kept or run: this package depends on no other package
 * of Gator. Versions are counted for this package, and in {@code io.gator.observation}
 * for the conventions and their contexts; what is public in other packages may change
 * with any version. The life of a job, in the words used everywhere else:
 *
 * <pre>
 * dispatch ─┬─────────────▶ WAITING ──claim──▶ RUNNING ──settle──┬─▶ SUCCEEDED
 *           │                  ▲                ▲   │            ├─▶ CANCELLED
 *           └─▶ SCHEDULED ─due─┘          claim │   │            └─▶ DEAD
 *                                               │   ▼
 *                                               FAILED
 * </pre>
 *
 * A snoozed job is SCHEDULED again (FAILED, if it has failed before), one that is given
 * back is what it was, a dead one that is retried is FAILED, and a live job may be
 * cancelled at any time.
 *
 * A <em>pool</em> is slots in one process; a slot runs one job, or one batch, at a time.
 * The pool's row in {@code gator_worker} gives it an <em>identity</em>; that number is
 * the <em>worker id</em> wherever a job names who holds it. A pool that loses touch with
 * the database takes a new identity. Where a name says <em>worker</em> it means one pool;
 * only the properties {@code gator.worker.*} are about all pools of a process.
 */
@NullMarked
package io.gator;

import org.jspecify.annotations.NullMarked;
