package io.gator.worker;

import io.gator.routing.ArgsCodec;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
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
		String name = next.path("name").asString();
		Route route = routes.find(name);
		String args = (route != null) ? codec.encodeNext(route, job.args(), result) : job.args();
		return new Settlement.Link(next.path("queue").asString(), name, args, metadata.toString());
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
		JsonNode error = metadata.get("onError");
		String name = error.path("name").asString();
		Route route = routes.find(name);
		String args = (route != null) ? codec.encodeNext(route, job.args(), null) : job.args();
		return new Settlement.Link(error.path("queue").asString(), name, args, null);
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
