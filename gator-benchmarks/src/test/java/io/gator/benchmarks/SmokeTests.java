package io.gator.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs every scenario once with next to no jobs, so that the benchmarks never rot.
 */
class SmokeTests {

	@TempDir
	private static Path directory;

	private static List<Result> results = List.of();

	@BeforeAll
	static void runEverythingOnce() throws Exception {
		results = Benchmarks.run(Options.parse("-scale", "smoke", "-rounds", "1", "-json",
				directory.resolve("figures.json").toString(), "-markdown", directory.resolve("page.md").toString()));
	}

	@Test
	void everyScenarioHasRunAndHasFigures() {
		assertThat(results)
			.hasSameSizeAs(Benchmarks.all(new Benchmark(Database.at("", "", ""), Scale.SMOKE, List.of())));
		assertThat(results).allSatisfy((result) -> {
			assertThat(result.rounds()).isOne();
			assertThat(result.summaries()).isNotEmpty();
			assertThat(result.summaries()).allSatisfy((name, summary) -> {
				assertThat(summary.median()).isFinite();
				// With one processor a job may run before its dispatch has returned.
				if (!name.endsWith("committed")) {
					assertThat(summary.median()).isNotNegative();
				}
			});
		});
	}

	@Test
	void everyTargetHasItsFigure() {
		assertThat(results).filteredOn((result) -> !result.scenario().name().equals("scale-out"))
			.allSatisfy((result) -> assertThat(result.verdicts()).as(result.scenario().name())
				.hasSameSizeAs(result.scenario().targets()));
	}

	@Test
	void thePageHoldsWhatWasMeasured() throws Exception {
		assertThat(Files.readString(directory.resolve("page.md"))).contains("fsync=on")
			.contains("## Targets")
			.contains("db-scheduler");
		assertThat(Files.readString(directory.resolve("figures.json"))).contains("\"drain\"");
	}

	@Test
	void whatIsWrittenByHandStaysInThePage() throws Exception {
		Path page = directory.resolve("kept.md");
		Report report = new Report(Map.of(), List.of());
		report.writeMarkdown(page);
		Files.writeString(page, Files.readString(page).replace("Nothing is written down yet.", "By hand."));
		report.writeMarkdown(page);
		assertThat(Files.readString(page)).containsOnlyOnce("By hand.").doesNotContain("Nothing is written");
	}

}
