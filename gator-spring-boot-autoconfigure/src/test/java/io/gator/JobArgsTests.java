package io.gator;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobArgsTests {

	@Test
	void aLoneNullIsAnArgument() {
		assertThat(JobArgs.args((Object[]) null).values()).containsExactly((Object) null);
		assertThat(JobArgs.args().values()).isEmpty();
	}

	@Test
	void anArrayThatChangesLaterChangesNoArguments() {
		Object[] each = { 1, null };
		JobArgs args = JobArgs.args(each);
		each[0] = 2;
		assertThat(args.values()).containsExactly(1, null);
	}

}
