/**
 * The inside of {@link io.gator.JobAdmin}: looks at jobs and acts on single ones.
 */
@NullMarked
package io.gator.admin;

import org.jspecify.annotations.NullMarked;
