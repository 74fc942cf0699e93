package io.gator.leads;

import java.util.List;
import java.util.Map;

import io.gator.leads.PrometheusText.Sample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PrometheusTextTests {

	@Test
	void goodTextIsRead() {
		List<Sample> samples = PrometheusText.parse("""
				# HELP jobs_total Jobs, \\\\ and \\n
				# TYPE jobs_total counter
				jobs_total{name="a \\"b\\", c}",queue="d"} 3.0 1700000000000
				# any comment

				# TYPE wait_seconds summary
				wait_seconds{quantile="0.5"} 1.5E-4
				wait_seconds_count 2
				wait_seconds_sum 0.1
				# TYPE age gauge
				age NaN
				plain -Inf
				""");
		assertThat(samples).hasSize(6)
			.contains(new Sample("jobs_total", Map.of("name", "a \\\"b\\\", c}", "queue", "d"), 3),
					new Sample("wait_seconds", Map.of("quantile", "0.5"), 0.00015),
					new Sample("wait_seconds_count", Map.of(), 2),
					new Sample("plain", Map.of(), Double.NEGATIVE_INFINITY));
		assertThat(samples.get(0).is("jobs_total", "queue", "d")).isTrue();
		assertThat(samples.get(0).is("jobs_total", "queue", "e")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a 1", "a\n", "a b\n", "a 1,5\n", "a 0x10\n", "a Infinity\n", "a 1d\n", "a 1 soon\n",
			"1a 1\n", "a.b 1\n", "a{b=c} 1\n", "a{b=\"c} 1\n", "a{b=\"c\"\n", "a{b=\"c\" d=\"e\"} 1\n",
			"a{b=\"\\t\"} 1\n", "a{b=\"c\",b=\"d\"} 1\n", "a{b-c=\"d\"} 1\n", "a 1\na 1\n",
			"a{b=\"1\",c=\"2\"} 1\na{c=\"2\",b=\"1\"} 1\n", "a 1\nb 1\na{c=\"d\"} 1\n", "# TYPE a number\na 1\n",
			"# TYPE a gauge\n# TYPE a gauge\na 1\n", "# HELP a b\n# HELP a c\na 1\n", "a 1\n# TYPE a gauge\n",
			"# HELP a \\t\na 1\n", "# TYPE a\n", "# TYPE a counter\na -1\n", "# TYPE a summary\na 1\n",
			"# TYPE a histogram\na_bucket 1\n", "# TYPE a histogram\na 1\n" })
	void badTextIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> PrometheusText.parse(text));
	}

}
