package io.gator.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class QueueNamesTests extends AbstractPropertiesTests {

	@Test
	void queuesKeepTheirNamesAndTheirOrder() {
		yaml("""
				gator:
				  worker:
				    queues:
				      critical: 6
				      my_mail: 5
				      My-Mail: 4
				      myMail: 3
				      eu:orders: 7
				      eu.orders.new: 8
				      a: 2
				      "*": 1
				""").run((context) -> assertThat(worker(context).queues()).containsExactly(entry("critical", 6),
				entry("my_mail", 5), entry("My-Mail", 4), entry("myMail", 3), entry("eu:orders", 7),
				entry("eu.orders.new", 8), entry("a", 2), entry("*", 1)));
	}

	@Test
	void theStarAloneMayBeTheOnlyQueue() {
		this.runner.withPropertyValues("gator.worker.queues.*=3")
			.run((context) -> assertThat(worker(context).queues()).containsExactly(entry("*", 3)));
	}

	@Test
	void aWeightThatIsOverriddenDoesNotMoveItsQueue() {
		yaml("gator.worker.queues: {b: 1, c: 1, a_b: 1}")
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("command line", Map.of("gator.worker.queues.c", "7"))))
			.withInitializer(variables(Map.of("GATOR_WORKER_QUEUES_A_B", "9", "GATOR_WORKER_QUEUES_NEW", "2")))
			.run((context) -> assertThat(worker(context).queues()).containsExactly(entry("b", 1), entry("c", 7),
					entry("a_b", 9), entry("new", 2)));
	}

	@Test
	void weightsMayBePlaceholders() {
		this.runner.withPropertyValues("weight=4", "gator.worker.queues.mail=${weight}")
			.run((context) -> assertThat(worker(context).queues()).containsExactly(entry("mail", 4)));
	}

	@Test
	void aWeightThatIsNoNumberIsRefused() {
		this.runner.withPropertyValues("gator.worker.queues.mail=much")
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.isEqualTo("gator.worker.queues.mail is much; allowed: a weight of 1 to 1000"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "4294967297", "2.5" })
	void aNumberThatIsNoWeightIsRefusedInsteadOfCut(String number) {
		yaml("gator.worker.queues: {low: " + number + "}")
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.isEqualTo("gator.worker.queues.low is " + number + "; allowed: a weight of 1 to 1000"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "gator.worker.queues", "gator.worker.pools.reports.queues" })
	void aQueueWithoutAWeightIsRefused(String property) {
		this.runner.withPropertyValues(property + "=critical").run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith(property + " is critical; ");
			assertThat(analysis.getAction()).contains("queue names with weights, such as " + property + ".critical=5");
		});
	}

	@Test
	void queuesAndPoolsMayBeNamedInBrackets() {
		yaml("""
				gator.worker:
				  queues: {"[my_mail]": 5, "[*]": 1}
				  pools: {"[reports]": {queues: {"[eu:reports]": 2}}}
				""").run((context) -> {
			GatorProperties.Worker worker = worker(context);
			assertThat(worker.queues()).containsExactly(entry("my_mail", 5), entry("*", 1));
			assertThat(worker.pools()).isNotNull();
			assertThat(worker.pools().get("reports").queues()).containsExactly(entry("eu:reports", 2));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{queues: }", "{queues: {}, concurrency: 2}" })
	void aPoolWhoseQueuesAreLeftBlankServesAll(String pool) {
		yaml("gator: {worker: {pools: {reports: " + pool + "}}}").run((context) -> {
			assertThat(context).hasNotFailed();
			Map<String, GatorProperties.Pool> pools = worker(context).pools();
			assertThat(pools).containsOnlyKeys("reports");
			assertThat(pools.get("reports").queues()).isEmpty();
		});
	}

	@Test
	void queuesThatAWeakerSourceNamesStayWhereTheStrongerOneLeavesThemBlank() {
		yaml("gator: {worker: {queues: {mail: 2}}}").withPropertyValues("gator.worker.queues=")
			.run((context) -> assertThat(worker(context).queues()).containsExactly(entry("mail", 2)));
	}

	@Test
	void aNameThatNoQueueCanHaveIsRefused() {
		this.runner.withPropertyValues("gator.worker.queues[my mail]=1")
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.contains("gator.worker.queues is 'my mail'")
				.contains("[A-Za-z0-9]"));
	}

	@Test
	void queuesAndPoolsMayBeCalledQueues() {
		yaml("gator.worker: {queues: {queues: 3}, pools: {queues: {queues: {queues: 2}}}}").run((context) -> {
			GatorProperties.Worker worker = worker(context);
			assertThat(worker.queues()).containsExactly(entry("queues", 3));
			assertThat(worker.pools()).containsOnlyKeys("queues");
			assertThat(worker.pools().get("queues").queues()).containsExactly(entry("queues", 2));
		});
	}

	@Test
	void anEnvironmentVariableMeansTheQueueWithTheSameLetters() {
		this.runner.withInitializer(variables(Map.of("GATOR_WORKER_QUEUES_CRITICALMAIL", "5")))
			.withPropertyValues("gator.worker.queues.Critical-Mail=1")
			.run((context) -> assertThat(worker(context).queues()).containsExactly(entry("Critical-Mail", 5)));
	}

	@Test
	void whatStandsBeforeTheNameOfAQueueMayBeInCapitals() {
		this.runner.withPropertyValues("GATOR.Worker.Queues.myMail=3")
			.run((context) -> assertThat(worker(context).queues()).containsExactly(entry("myMail", 3)));
	}

	@Test
	void aWeightMayHaveSpaceAroundIt() {
		yaml("gator.worker.queues: {mail: ' 3 '}")
			.run((context) -> assertThat(worker(context).queues()).containsExactly(entry("mail", 3)));
	}

}
