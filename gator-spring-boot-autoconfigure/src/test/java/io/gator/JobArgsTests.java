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

	@Test
	void argumentsWithEqualValuesAreEqualSoThatCallsOfAMockCanBeVerified() {
		assertThat(JobArgs.args(1, null)).isEqualTo(JobArgs.args(1, null)).hasSameHashCodeAs(JobArgs.args(1, null));
		assertThat(JobArgs.args(1, null)).isNotEqualTo(JobArgs.args(1)).isNotEqualTo(JobArgs.args(null, 1));
	}

	@Test
	void theTextOfArgumentsShowsNoValue() {
		assertThat(JobArgs.args("secret", 1)).hasToString("2 arguments");
	}

}
