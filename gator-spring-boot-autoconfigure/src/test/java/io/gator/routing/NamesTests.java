package io.gator.routing;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamesTests {

	@Test
	void aNameBeginsWithALetterOrADigitAndHasUpTo128Characters() {
		assertThat(List.of("a", "Z", "0", "9", "billing:invoice", "a.b_c-d", "a-", "x".repeat(128)))
			.allMatch(Names::isValid);
		assertThat(List.of("", ".a", "_a", "-a", ":a", "a b", "a/b", "ä", "aä", "a\n", "x".repeat(129)))
			.noneMatch(Names::isValid);
		assertThat(Names.isValid(null)).isFalse();
	}

}
