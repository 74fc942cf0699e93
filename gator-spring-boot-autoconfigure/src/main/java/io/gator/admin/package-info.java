/**
 * The inside of {@link io.gator.JobAdmin}: looks at jobs, queues and pools, and acts on
 * jobs one by one or, as a query finds them, a chunk at a time.
 */
@NullMarked
package io.gator.admin;

import org.jspecify.annotations.NullMarked;
