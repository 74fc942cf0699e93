package io.gator.insight;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.gator.store.QueueCount;
import io.gator.store.TableFacts;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON in which processes tell each other figures. A figure that another version
 * writes differently is taken as missing.
 */
final class FiguresJson {

	private static final JsonMapper mapper = JsonMapper.shared();

	private FiguresJson() {
	}

	static String ofRates(Map<String, Rate> rates) {
		ObjectNode root = mapper.createObjectNode();
		ObjectNode node = root.putObject("rates");
		rates.forEach((queue, rate) -> node.putArray(queue).add(rate.in()).add(rate.out()));
		return root.toString();
	}

	static void addRates(String json, Map<String, Rate> sum) {
		mapper.readTree(json)
			.path("rates")
			.properties()
			.forEach((each) -> sum.merge(each.getKey(),
					new Rate(each.getValue().path(0).asDouble(0), each.getValue().path(1).asDouble(0)), Rate::plus));
	}

	static String ofCounts(List<QueueCount> queues, TableFacts table) {
		ObjectNode root = mapper.createObjectNode();
		ArrayNode array = root.putArray("queues");
		for (QueueCount queue : queues) {
			ObjectNode node = array.addObject();
			node.put("queue", queue.queue());
			node.put("paused", queue.paused());
			node.put("waiting", queue.waiting());
			node.put("scheduled", queue.scheduled());
			node.put("running", queue.running());
			node.put("failed", queue.failed());
			node.put("dead", queue.dead());
			node.put("oldest", queue.oldestSeconds());
			node.put("estimated", queue.estimated());
		}
		ObjectNode node = root.putObject("table");
		node.put("liveRows", table.liveRows());
		node.put("deadRows", table.deadRows());
		node.put("bytes", table.bytes());
		node.put("updates", table.updates());
		node.put("hotUpdates", table.hotUpdates());
		node.put("sinceAutovacuum", table.sinceAutovacuum());
		node.put("oldestSnapshot", table.oldestSnapshot());
		node.put("notificationQueue", table.notificationQueue());
		return root.toString();
	}

	static List<QueueCount> queues(String json) {
		List<QueueCount> queues = new ArrayList<>();
		for (JsonNode node : mapper.readTree(json).path("queues")) {
			queues.add(new QueueCount(node.path("queue").asString(""), node.path("paused").asBoolean(false),
					node.path("waiting").asLong(0), node.path("scheduled").asLong(0), node.path("running").asLong(0),
					node.path("failed").asLong(0), node.path("dead").asLong(0), number(node, "oldest"),
					node.path("estimated").asBoolean(false)));
		}
		return queues;
	}

	static @Nullable TableFacts table(String json) {
		JsonNode node = mapper.readTree(json).path("table");
		if (!node.isObject()) {
			return null;
		}
		return new TableFacts(node.path("liveRows").asDouble(0), node.path("deadRows").asDouble(0),
				node.path("bytes").asDouble(0), node.path("updates").asDouble(0), node.path("hotUpdates").asDouble(0),
				number(node, "sinceAutovacuum"), node.path("oldestSnapshot").asDouble(0),
				node.path("notificationQueue").asDouble(0));
	}

	private static @Nullable Double number(JsonNode node, String name) {
		JsonNode value = node.path(name);
		return value.isNumber() ? Double.valueOf(value.doubleValue()) : null;
	}

}
