package io.gator.dispatch;

import java.io.StringWriter;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What a row carries beside its arguments:
 *
 * <pre>
 * {"headers": {"traceparent": "…"}, "chain": [{"name": "B", "queue": "default"}], "onError": {"name": "C", "queue": "q"}}
 * </pre>
 *
 * @param chain the jobs that follow
 * @param onError the job for a dead link, if any
 */
record Metadata(List<Link> chain, @Nullable Link onError) {

	static final Metadata NONE = new Metadata(List.of(), null);

	private static final JsonFactory JSON = new JsonFactory();

	/**
	 * Write the metadata of a row.
	 * @param headers what travels with the job
	 * @return a JSON object, or {@code null} if there is nothing to say
	 */
	@Nullable String json(Map<String, String> headers) {
		if (headers.isEmpty() && this.chain.isEmpty() && this.onError == null) {
			return null;
		}
		StringWriter text = new StringWriter();
		try (JsonGenerator generator = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
			generator.writeStartObject();
			if (!headers.isEmpty()) {
				generator.writeObjectPropertyStart("headers");
				headers.forEach(generator::writeStringProperty);
				generator.writeEndObject();
			}
			if (!this.chain.isEmpty()) {
				generator.writeArrayPropertyStart("chain");
				this.chain.forEach((link) -> link.write(generator));
				generator.writeEndArray();
			}
			if (this.onError != null) {
				generator.writeName("onError");
				this.onError.write(generator);
			}
			generator.writeEndObject();
		}
		return text.toString();
	}

	/**
	 * A job of a chain.
	 *
	 * @param name its name
	 * @param queue its queue
	 */
	record Link(String name, String queue) {

		private void write(JsonGenerator generator) {
			generator.writeStartObject();
			generator.writeStringProperty("name", this.name);
			generator.writeStringProperty("queue", this.queue);
			generator.writeEndObject();
		}

	}

}
