package io.gator.leads;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.gator.leads.PrometheusText.Sample;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What somebody sees with {@code curl} after an import.
 */
// What waits for a slot goes back when slots stall for twenty times the prefetch.
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "gator.insight.interval=500ms", "gator.worker.prefetch=1s" })
@TestPropertySource("/short-waits.properties")
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ActuatorTests {

	private static final Pattern ROW = Pattern
		.compile("\\w+ +(\\w+) +([\\d,]+) +([\\d,]+) +([\\d,]+) +[\\d.]+ s +[\\d.]+ s");

	/** Each second lead is written to; of those one in ten is gone and one slow. */
	private static final String LEADS = "name,email,company,employees,budget,opt_in,payment_days\n"
			+ IntStream.range(0, 200)
				.mapToObj((n) -> "Ada,ada%d@%s.example,Cedar,300,%d,%s,%s\n".formatted(n,
						(n % 20 == 0) ? "gone" : (n % 20 == 2) ? "slow" : "cedar", n, (n % 2 == 0) ? "yes" : "no",
						(n % 50 == 0) ? "30" : ""))
				.collect(Collectors.joining());

	private final HttpClient client = HttpClient.newHttpClient();

	private final Map<String, Row> table = new HashMap<>();

	@LocalServerPort
	private int port;

	private String printed = "";

	private long printedAt;

	@BeforeAll
	void importSome(CapturedOutput output) throws Exception {
		HttpRequest request = HttpRequest.newBuilder(uri("/imports"))
			.header("Content-Type", "text/csv")
			.POST(HttpRequest.BodyPublishers.ofString(LEADS))
			.build();
		assertThat(this.client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
		await().atMost(Duration.ofMinutes(1)).until(() -> output.toString().contains("/actuator/prometheus"));
		this.printed = output.toString();
		this.printedAt = System.nanoTime();
		ROW.matcher(this.printed)
			.results()
			.forEach((row) -> this.table.merge(row.group(1),
					new Row(number(row.group(2)), number(row.group(3)), number(row.group(4))), Row::plus));
	}

	@Test
	void theTableSaysWhereToLook() throws Exception {
		for (String path : List.of("gator", "health", "metrics/gator.jobs.executed", "prometheus")) {
			assertThat(this.printed).contains(uri("/actuator/" + path).toString());
			assertThat(get("/actuator/" + path)).isNotEmpty();
		}
	}

	@Test
	void executionsAreThoseOfTheTable() throws Exception {
		assertThat(this.table).containsKeys("SendWelcomeEmail", "ScoreLead", "LookUpCompany", "SyncActivities");
		assertThat(this.table.get("SendWelcomeEmail")).isEqualTo(new Row(90, 10, 10));
		// An attempt is counted a moment after its outcome may be in the database.
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			List<Sample> samples = scrape();
			this.table.forEach((name, row) -> {
				assertThat(executed(samples, name, "succeeded")).as(name).isEqualTo(row.succeeded());
				assertThat(executed(samples, name, "dead")).as(name).isEqualTo(row.dead());
				assertThat(executed(samples, name, "failed")).as(name).isGreaterThanOrEqualTo(row.retried());
			});
			assertThat(executed(samples, "SendWelcomeEmail", "failed")).isEqualTo(10);
			assertThat(sum(samples, "gator_claims_jobs_sum")).as("nothing was claimed in vain")
				.isEqualTo(sum(samples, "gator_jobs_executed_seconds_count"));
		});
		JsonNode meter = json("/actuator/metrics/gator.jobs.executed?tag=name:SendWelcomeEmail&tag=outcome:succeeded");
		assertThat(meter.path("baseUnit").asString()).isEqualTo("seconds");
		assertThat(meter.at("/measurements/0/statistic").asString()).isEqualTo("COUNT");
		assertThat(meter.at("/measurements/0/value").asDouble()).isEqualTo(90);
	}

	@Test
	void theWaitsAreInTheTableAndInTheScrape() throws Exception {
		List<Sample> samples = scrape();
		this.table.keySet()
			.forEach((name) -> assertThat(samples)
				.anyMatch((each) -> each.is("gator_jobs_wait_seconds", "name", name, "quantile", "0.99")));
	}

	@Test
	void withinOneRefreshNothingWaitsAndTheDeadAreThoseOfTheTable() throws Exception {
		long dead = this.table.values().stream().mapToLong(Row::dead).sum();
		// In a refresh the gauges of queues are registered anew.
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			double since = secondsSincePrinted();
			List<Sample> samples = scrape();
			assertThat(sum(samples, "gator_insight_age_seconds") + 1).as("counted after the table was printed")
				.isLessThan(since);
			for (String state : List.of("waiting", "running", "failed")) {
				assertThat(sum(samples, "gator_queue_jobs", "state", state)).as(state).isZero();
			}
			assertThat(sum(samples, "gator_queue_jobs", "state", "dead")).isEqualTo(dead);
			assertThat(sum(samples, "gator_queue_jobs", "state", "scheduled")).isEqualTo(4);
			assertThat(sum(samples, "gator_queue_oldest_age_seconds")).isZero();
		});
		assertThat(this.printed).contains("Scheduled for later: 4 SendPaymentReminder");
	}

	@Test
	void theEndpointShowsQueuesWorkersAndTheDead() throws Exception {
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(json("/actuator/gator").path("queues").findValuesAsString("name"))
				.contains("critical", "default", "low", "marketing"));
		JsonNode overview = json("/actuator/gator");
		assertThat(overview.at("/workers/0/slots").asInt()).isEqualTo(10);
		long dead = json("/actuator/gator/dead?name=SendWelcomeEmail&limit=1").at("/jobs/0/id").asLong();
		// The last ones, of whichever job they were.
		assertThat(overview.path("dead").findValuesAsString("name")).isNotEmpty()
			.isSubsetOf("SendWelcomeEmail", "SyncActivities");
		JsonNode job = json("/actuator/gator/" + dead);
		assertThat(job.path("state").asString()).isEqualTo("DEAD");
		assertThat(job.at("/why/0").asString()).startsWith("It died at ").contains("after 1 attempt,");
		assertThat(job.path("error").asString()).contains("550 5.1.1");
		assertThat(job.has("arguments")).isFalse();
		JsonNode scheduled = json("/actuator/gator/scheduled").at("/jobs/0");
		assertThat(scheduled.path("name").asString()).isEqualTo("SendPaymentReminder");
		assertThat(json("/actuator/gator/" + scheduled.path("id").asLong()).at("/why/0").asString())
			.startsWith("It is due in 29 days");
	}

	@Test
	void healthHasAComponentWithDetails() throws Exception {
		JsonNode gator = json("/actuator/health").at("/components/gator");
		assertThat(gator.path("status").asString()).isEqualTo("UP");
		assertThat(gator.at("/details/pools/default/slots").asInt()).isEqualTo(10);
	}

	@Test
	void aQueueCanBePausedAndResumed() throws Exception {
		for (String action : List.of("pause", "resume")) {
			assertThat(post("/actuator/gator/queues/nobody", "{\"action\": \"" + action + "\"}").body())
				.contains(action);
		}
	}

	@Test
	void aJobCanBeRescheduledToATimeAndNotWithoutOne() throws Exception {
		JsonNode scheduled = json("/actuator/gator/scheduled").at("/jobs/0");
		String path = "/actuator/gator/" + scheduled.path("id").asLong();
		String time = scheduled.path("dueAt").asString();
		HttpResponse<String> answer = post(path, "{\"action\": \"reschedule\", \"at\": \"" + time + "\"}");
		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.body()).contains("\"found\":true");
		for (String mistake : List.of("\"ta\": \"" + time + "\"", "\"at\": \"tomorrow\"")) {
			assertThat(post(path, "{\"action\": \"reschedule\", " + mistake + "}").statusCode()).as(mistake)
				.isEqualTo(400);
		}
		assertThat(json(path).path("dueAt").asString()).isEqualTo(time);
	}

	@Test
	void aPoolOfTheProcessCanBeResized() throws Exception {
		String path = "/actuator/gator/pools/default";
		assertThat(post(path, "{\"action\": \"resize\", \"concurrency\": 10}").body()).contains("\"concurrency\":10");
		assertThat(post(path, "{\"action\": \"resize\"}").statusCode()).isEqualTo(400);
	}

	@Test
	void aMistypedFilterDiscardsNothing() throws Exception {
		assertThat(post("/actuator/gator/dead", "{\"action\": \"discard\", \"nmae\": \"Nobody\"}").statusCode())
			.isEqualTo(400);
		assertThat(json("/actuator/gator/dead").path("jobs").isEmpty()).isFalse();
	}

	@Test
	void everyMeterThatTheDocumentsNameIsInTheScrape() throws Exception {
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(sum(scrape(), "gator_table_size_bytes")).isPositive());
		List<Sample> samples = scrape();
		Set<String> names = samples.stream().map(Sample::name).collect(Collectors.toSet());
		String documents = Files.readString(Path.of("../docs/operations.md"));
		Set<String> named = new LinkedHashSet<>();
		// Tables, the view of them and sequences have such names as well.
		Pattern
			.compile("\\bgator_(?!(?:jobs?|dead_job|job_history|schema_history|worker|queue|recurring|insight|"
					+ "\\w+_id_seq)\\b)\\w+")
			.matcher(documents)
			.results()
			.forEach((match) -> named.add(match.group()));
		assertThat(named).hasSizeGreaterThan(10).isSubsetOf(names);
		Pattern.compile("(gator_\\w+)\\{(\\w+)=~?\"([^\"]*)\"}").matcher(documents).results().forEach((match) -> {
			for (String value : match.group(3).split("\\|")) {
				assertThat(samples).as(match.group())
					.anyMatch((each) -> each.is(match.group(1), match.group(2), value));
			}
		});
		Pattern.compile("by \\((\\w+)(?:, (\\w+))?\\) \\((?:increase\\()?(gator_\\w+)")
			.matcher(documents)
			.results()
			.forEach((match) -> assertThat(samples).filteredOn((each) -> each.is(match.group(3)))
				.as(match.group())
				.allMatch((each) -> Set.of("instance", "job")
					.containsAll(labels(match.group(1), match.group(2), each.labels().keySet()))));
	}

	/** Those that are named and not there; Prometheus itself adds the instance. */
	private static Set<String> labels(String one, String other, Set<String> there) {
		Set<String> missing = new LinkedHashSet<>();
		missing.add(one);
		if (other != null) {
			missing.add(other);
		}
		missing.removeAll(there);
		return missing;
	}

	private double secondsSincePrinted() {
		return (System.nanoTime() - this.printedAt) / 1e9;
	}

	private List<Sample> scrape() throws Exception {
		return PrometheusText.parse(get("/actuator/prometheus"));
	}

	private static double executed(List<Sample> samples, String name, String outcome) {
		return sum(samples, "gator_jobs_executed_seconds_count", "name", name, "outcome", outcome);
	}

	private static double sum(List<Sample> samples, String name, String... labels) {
		return samples.stream().filter((each) -> each.is(name, labels)).mapToDouble(Sample::value).sum();
	}

	private JsonNode json(String path) throws Exception {
		return JsonMapper.shared().readTree(get(path));
	}

	private String get(String path) throws IOException, InterruptedException {
		var response = this.client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return response.body();
	}

	private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(uri(path))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build(), BodyHandlers.ofString());
	}

	private URI uri(String path) {
		return URI.create("http://localhost:" + this.port + path);
	}

	private static long number(String text) {
		return Long.parseLong(text.replace(",", ""));
	}

	record Row(long succeeded, long retried, long dead) {

		Row plus(Row other) {
			return new Row(this.succeeded + other.succeeded, this.retried + other.retried, this.dead + other.dead);
		}

	}

}
