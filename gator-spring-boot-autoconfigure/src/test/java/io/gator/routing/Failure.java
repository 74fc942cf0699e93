package io.gator.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a user gets to see of a start that fails.
 */
record Failure(Throwable thrown) {

	static Failure of(Class<?>... jobs) {
		return new Failure(catchThrowable(() -> TestJobs.context(jobs).close()));
	}

	Failure describes(String... texts) {
		assertThat(exception().getMessage()).contains(texts);
		return this;
	}

	Failure advises(String... texts) {
		assertThat(exception().action()).contains(texts);
		return this;
	}

	private InvalidJobException exception() {
		assertThat(this.thrown).isNotNull();
		Throwable each = this.thrown;
		while (!(each instanceof InvalidJobException)) {
			each = each.getCause();
			assertThat(each).as("an InvalidJobException among the causes of %s", this.thrown).isNotNull();
		}
		return (InvalidJobException) each;
	}

}
