package io.gator.store;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a row carries beside its arguments:
 *
 * <pre>
 * {"headers": {"traceparent": "…"}, "chain": [{"name": "B", "queue": "default"}], "onError": {"name": "C", "queue": "q"}}
 * </pre>
 *
 * A job of a chain may have {@code "takes": "result"} or {@code "takes": "none"}, and
 * {@code "key": "tenant"}, for the process that dispatches it may not know its handler.
 * <p>
 * Somebody may have written the metadata by hand. A part that cannot be read is taken as
 * missing, because it is no reason to fail a job or a list of jobs. Properties that are
 * not known are handed on to the jobs that follow.
 *
 * @param json a JSON object, or {@code null} if there is nothing to say
 */
public record JobMetadata(@Nullable String json) {

	private static final String HEADERS = "headers";

	private static final String CHAIN = "chain";

	private static final String ON_ERROR = "onError";

	private static final String NAME = "name";

	private static final String QUEUE = "queue";

	private static final String TAKES = "takes";

	private static final String KEY = "key";

	private static final JsonFactory JSON = new JsonFactory();

	private static final JsonMapper mapper = JsonMapper.shared();

	/**
	 * Write the metadata of a new job.
	 * @param headers what travels with the job
	 * @param chain the jobs that follow
	 * @param onError the job for a dead link, if any
	 * @return the metadata
	 */
	public static JobMetadata of(Map<String, String> headers, List<Link> chain, @Nullable Link onError) {
		if (headers.isEmpty() && chain.isEmpty() && onError == null) {
			return new JobMetadata(null);
		}
		StringWriter text = new StringWriter();
		try (JsonGenerator generator = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
			generator.writeStartObject();
			if (!headers.isEmpty()) {
				generator.writeObjectPropertyStart(HEADERS);
				headers.forEach(generator::writeStringProperty);
				generator.writeEndObject();
			}
			if (!chain.isEmpty()) {
				generator.writeArrayPropertyStart(CHAIN);
				chain.forEach((link) -> link.write(generator));
				generator.writeEndArray();
			}
			if (onError != null) {
				generator.writeName(ON_ERROR);
				onError.write(generator);
			}
			generator.writeEndObject();
		}
		return new JobMetadata(text.toString());
	}

	/**
	 * What travels with the job.
	 * @return headers by name
	 */
	public Map<String, String> headers() {
		ObjectNode root = read(HEADERS);
		if (root == null) {
			return Map.of();
		}
		Map<String, String> headers = new HashMap<>();
		root.path(HEADERS).properties().forEach((each) -> {
			if (each.getValue().isString()) {
				headers.put(each.getKey(), each.getValue().stringValue());
			}
		});
		return headers;
	}

	/**
	 * The jobs that follow.
	 * @return the links, in order
	 */
	public List<Link> chain() {
		ObjectNode root = read(CHAIN);
		List<Link> links = new ArrayList<>();
		if (root != null && root.get(CHAIN) instanceof ArrayNode chain) {
			for (JsonNode node : chain) {
				Link link = Link.read(node);
				if (link != null) {
					links.add(link);
				}
			}
		}
		return links;
	}

	/**
	 * What follows when the job has succeeded.
	 * @return the next link, which carries the rest; {@code null} at the end of the chain
	 */
	public @Nullable Follower next() {
		ObjectNode root = read(CHAIN);
		if (root == null || !(root.get(CHAIN) instanceof ArrayNode chain)) {
			return null;
		}
		Link link = null;
		while (link == null && !chain.isEmpty()) {
			link = Link.read(chain.remove(0));
		}
		return (link != null) ? new Follower(link, new JobMetadata(root.toString())) : null;
	}

	/**
	 * What follows when the job is dead.
	 * @return the onError job of the chain, which carries the headers of this job, such
	 * as the trace; {@code null} if there is none
	 */
	public @Nullable Follower onError() {
		ObjectNode root = read(ON_ERROR);
		Link link = (root != null) ? Link.read(root.path(ON_ERROR)) : null;
		if (root == null || link == null) {
			return null;
		}
		root.remove(List.of(ON_ERROR, CHAIN));
		return new Follower(link, new JobMetadata(root.isEmpty() ? null : root.toString()));
	}

	/**
	 * Looks for the name first: most metadata is only that of a trace, and need not be
	 * parsed.
	 */
	private @Nullable ObjectNode read(String needed) {
		if (this.json == null || !this.json.contains('"' + needed + '"')) {
			return null;
		}
		try {
			return (mapper.readTree(this.json) instanceof ObjectNode root) ? root : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * A job of a chain.
	 *
	 * @param name its name
	 * @param queue its queue
	 * @param takes what it is given by a process that does not know its handler
	 * @param key the property whose value all items of a batch share, or {@code null}
	 */
	public record Link(String name, String queue, Takes takes, @Nullable String key) {

		private static @Nullable Link read(JsonNode node) {
			JsonNode name = node.path(NAME);
			JsonNode queue = node.path(QUEUE);
			return (name.isString() && queue.isString()) ? new Link(name.stringValue(), queue.stringValue(),
					Takes.of(node.path(TAKES).stringValue("")), node.path(KEY).stringValue(null)) : null;
		}

		private void write(JsonGenerator generator) {
			generator.writeStartObject();
			generator.writeStringProperty(NAME, this.name);
			generator.writeStringProperty(QUEUE, this.queue);
			// Each row of the chain carries this, so the default is left out.
			if (this.takes != Takes.ARGUMENTS) {
				generator.writeStringProperty(TAKES, this.takes.text());
			}
			if (this.key != null) {
				generator.writeStringProperty(KEY, this.key);
			}
			generator.writeEndObject();
		}

	}

	/**
	 * What a job of a chain is given by a process that does not know its handler.
	 */
	public enum Takes {

		/**
		 * The arguments of its predecessor.
		 */
		ARGUMENTS,

		/**
		 * What its predecessor returned; its arguments if that is {@code null}.
		 */
		RESULT,

		/**
		 * No arguments.
		 */
		NONE;

		private static Takes of(String text) {
			return RESULT.text().equals(text) ? RESULT : NONE.text().equals(text) ? NONE : ARGUMENTS;
		}

		private String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * A job to be dispatched when another one is over.
	 *
	 * @param link its name and queue
	 * @param metadata what its row carries
	 */
	public record Follower(Link link, JobMetadata metadata) {

	}

}
