package io.gator.worker;

import io.gator.JobDispatchException;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads from a job's metadata what follows it in its chain:
 *
 * <pre>
 * {"chain": [{"name": "Charge", "queue": "default"}, …], "onError": {"name": "Refund", "queue": "default"}}
 * </pre>
 */
final class ChainLinks {

	private static final Logger logger = LoggerFactory.getLogger(ChainLinks.class);

	private static final JsonMapper mapper = JsonMapper.shared();

	private ChainLinks() {
	}

	/**
	 * The link that follows a success.
	 * @param job the job that succeeded
	 * @param result what its handler returned
	 * @param routes the handlers that are known here
	 * @param codec writes the arguments
	 * @return the link, or {@code null} at the end of the chain
	 */
	static Settlement.@Nullable Link afterSuccess(ClaimedJob job, @Nullable Object result, Routes routes,
			ArgsCodec codec) {
		ObjectNode metadata = metadata(job, "\"chain\"");
		if (metadata == null || !(metadata.get("chain") instanceof ArrayNode chain) || chain.isEmpty()) {
			return null;
		}
		JsonNode next = chain.remove(0);
		return link(next, job.args(), result, metadata.toString(), routes, codec);
	}

	/**
	 * The job that makes good for a dead link.
	 * @param job the dead job
	 * @param routes the handlers that are known here
	 * @param codec writes the arguments
	 * @return the link, or {@code null} if there is none
	 */
	static Settlement.@Nullable Link afterDeath(ClaimedJob job, Routes routes, ArgsCodec codec) {
		ObjectNode metadata = metadata(job, "\"onError\"");
		if (metadata == null || !metadata.has("onError")) {
			return null;
		}
		JsonNode onError = metadata.remove("onError");
		metadata.remove("chain");
		// What is left is of the caller: the trace, and what its log lines carry.
		return link(onError, job.args(), null, metadata.isEmpty() ? null : metadata.toString(), routes, codec);
	}

	private static Settlement.Link link(JsonNode node, String given, @Nullable Object result, @Nullable String metadata,
			Routes routes, ArgsCodec codec) {
		String queue = node.path("queue").asString();
		String name = node.path("name").asString();
		Route route = routes.find(name);
		if (route == null) {
			return new Settlement.Link(queue, name, given, null, metadata);
		}
		String args = codec.encodeNext(route, given, result);
		return new Settlement.Link(queue, name, args, batchKey(route, args, codec), metadata);
	}

	/** Its predecessor is over, so there is nobody left to refuse the value to. */
	private static @Nullable String batchKey(Route route, String args, ArgsCodec codec) {
		try {
			return codec.batchKey(route, args);
		}
		catch (JobDispatchException ex) {
			logger.warn("A link of a chain goes to a batch without a key: {}", ex.getMessage());
			return null;
		}
	}

	private static @Nullable ObjectNode metadata(ClaimedJob job, String needed) {
		String text = job.metadata();
		// Most metadata is that of traces; it need not be parsed to see that.
		if (text == null || !text.contains(needed)) {
			return null;
		}
		return (mapper.readTree(text) instanceof ObjectNode node) ? node : null;
	}

}
