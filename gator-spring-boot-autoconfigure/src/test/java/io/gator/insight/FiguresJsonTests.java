package io.gator.insight;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.gator.store.QueueCount;
import io.gator.store.TableFacts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What one process counts and the others read.
 */
class FiguresJsonTests {

	@Test
	void whatOneProcessHasCountedTheOthersReadAsItIs() {
		List<QueueCount> queues = List.of(new QueueCount("mail", true, 1, 2, 3, 4, 5, 6.5, true),
				new QueueCount("low", false, 0, 0, 0, 0, 0, null, false));
		for (TableFacts table : List.of(new TableFacts(1, 2, 3, 4, 5, 6.5, 7, 8),
				new TableFacts(1, 2, 3, 4, 5, null, 7, 8))) {
			String json = FiguresJson.ofCounts(queues, table);
			assertThat(FiguresJson.queues(json)).isEqualTo(queues);
			assertThat(FiguresJson.table(json)).isEqualTo(table);
		}
	}

	@Test
	void theRatesOfAllProcessesAreAddedUp() {
		Map<String, Rate> sum = new HashMap<>();
		FiguresJson.addRates(FiguresJson.ofRates(Map.of("mail", new Rate(1, 20), "low", new Rate(0.5, 0))), sum);
		FiguresJson.addRates(FiguresJson.ofRates(Map.of("mail", new Rate(300, 4_000))), sum);
		assertThat(sum).isEqualTo(Map.of("mail", new Rate(301, 4_020), "low", new Rate(0.5, 0)));
	}

	@Test
	void whatNobodyHasCountedYetIsNotKnown() {
		assertThat(FiguresJson.queues("{}")).isEmpty();
		assertThat(FiguresJson.table("{}")).isNull();
	}

	@Test
	void whatAnotherVersionWritesDifferentlyIsNotKnown() {
		assertThat(FiguresJson.queues("""
				{"queues": [{"queue": "mail", "waiting": "many", "oldest": "1 day", "running": 3}]}
				""")).containsExactly(new QueueCount("mail", false, 0, 0, 3, 0, 0, null, false));
		assertThat(FiguresJson.table("""
				{"table": {"liveRows": [1, 2], "deadRows": 2}}
				""")).isEqualTo(new TableFacts(0, 2, 0, 0, 0, null, 0, 0));
		Map<String, Rate> sum = new HashMap<>();
		FiguresJson.addRates("""
				{"rates": {"mail": ["fast", 2], "low": [1]}}
				""", sum);
		assertThat(sum).isEqualTo(Map.of("mail", new Rate(0, 2), "low", new Rate(1, 0)));
	}

}
