package io.gator.worker;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SetAsideTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final SetAside<String> aside = new SetAside<>();

	@Test
	void whatIsSetAsideIsTriedAgainEverLessOften() {
		assertThat(this.aside.untilDue(0, false)).isEqualTo(Long.MAX_VALUE);
		long now = 0;
		for (long delay : List.of(1, 2, 4, 8, 16, 30, 30)) {
			this.aside.add("a", now);
			this.aside.add("b", now + 5 * SECOND);
			assertThat(this.aside.untilDue(now, false)).isEqualTo(delay * SECOND);
			now += 100 * SECOND;
			assertThat(this.aside.untilDue(now, false)).isZero();
			assertThat(this.aside.take()).containsExactly("a", "b");
			this.aside.add("a", now);
			this.aside.tried();
			assertThat(this.aside.take()).containsExactly("a");
		}
	}

	@Test
	void whatIsSetAsideAfterASuccessIsTriedAgainASecondLater() {
		this.aside.add("a", 0);
		this.aside.take();
		this.aside.add("a", 0);
		this.aside.tried();
		this.aside.take();
		this.aside.tried();
		this.aside.add("a", 0);
		assertThat(this.aside.untilDue(0, false)).isEqualTo(SECOND);
	}

	@Test
	void whatIsSetAsideIsTriedAgainSoonWhenThePoolEnds() {
		this.aside.add("a", 0);
		assertThat(this.aside.untilDue(0, true)).isLessThan(SECOND / 2);
	}

}
