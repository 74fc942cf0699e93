/**
 * What happens to every new lead, and the jobs that do it.
 */
@NullMarked
package io.gator.leads.onboarding;

import org.jspecify.annotations.NullMarked;
