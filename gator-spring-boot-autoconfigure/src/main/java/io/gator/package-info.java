/**
 * What a user of Gator imports: annotations, {@link io.gator.JobTemplate} to dispatch,
 * {@link io.gator.JobAdmin} to look after jobs, {@link io.gator.JobContext} inside a
 * handler, and the policies and hooks around it.
 * <p>
 * Nothing here knows how jobs are kept or run: this package depends on no other package
 * of Gator. The life of a job, in the words used everywhere else:
 *
 * <pre>
 * dispatch ─▶ WAITING ──claim──▶ RUNNING ──settle──▶ SUCCEEDED
 *     │          ▲                 │  ├────────────▶ CANCELLED
 *     └▶ SCHEDULED                 │  └────────────▶ DEAD
 *                └──── FAILED ◀────┘
 * </pre>
 */
@NullMarked
package io.gator;

import org.jspecify.annotations.NullMarked;
