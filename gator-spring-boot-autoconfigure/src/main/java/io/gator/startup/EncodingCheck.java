package io.gator.startup;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Texts in jobs are Unicode. A database in another encoding is refused elsewhere.
 */
final class EncodingCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		if (facts.charset().equals(StandardCharsets.UTF_8)) {
			return List.of();
		}
		return List.of("The default charset of this JVM is " + facts.charset().name()
				+ ": what jobs carry is safe, but handlers and logs that write text without naming a charset lose "
				+ "characters. Start Java with -Dfile.encoding=UTF-8.");
	}

}
