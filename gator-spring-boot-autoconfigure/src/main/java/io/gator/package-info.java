/**
 * What a user of Gator imports: annotations, {@link io.gator.JobTemplate} to dispatch,
 * {@link io.gator.JobAdmin} to look after jobs, {@link io.gator.JobContext} inside a
 * handler, and the policies and hooks around it.
 * <p>
 * Nothing here knows how jobs are kept or run: this package depends on no other package
 * of Gator. The life of a job, in the words used everywhere else:
 *
 * <pre>
 * dispatch ─┬─────────────▶ WAITING ──claim──▶ RUNNING ──settle──┬─▶ SUCCEEDED
 *           │                  ▲                ▲   │            ├─▶ CANCELLED
 *           └─▶ SCHEDULED ─due─┘          claim │   │            └─▶ DEAD
 *                                               │   ▼
 *                                               FAILED
 * </pre>
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
