package io.gator.observation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.gator.JobContext;
import io.gator.JobInterceptor;
import io.gator.dispatch.DispatchObserver;
import io.gator.store.JobMetadata;
import io.gator.worker.AttemptObserver;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Takes chosen keys of the logging context along with the jobs. The values are in the
 * rows for everybody to read, so only keys that were asked for travel.
 */
public final class MdcPropagation implements DispatchObserver, AttemptObserver {

	private static final String PREFIX = "mdc.";

	/**
	 * At most how many characters of a value travel, enough for a log line; longer values
	 * are cut.
	 */
	private static final int MAX_VALUE_LENGTH = 256;

	private final List<String> keys;

	/**
	 * Create a propagation.
	 * @param keys the keys that travel
	 */
	public MdcPropagation(List<String> keys) {
		this.keys = List.copyOf(keys);
	}

	@Override
	public Observed begin(String name, String queue, int count) {
		Map<String, String> headers = new HashMap<>();
		for (String key : this.keys) {
			String value = MDC.get(key);
			if (value != null) {
				headers.put(PREFIX + key, cut(value));
			}
		}
		return new Carried(headers);
	}

	private static String cut(String value) {
		if (value.length() <= MAX_VALUE_LENGTH) {
			return value;
		}
		// A surrogate pair stays whole: half of it is no character.
		boolean apart = Character.isHighSurrogate(value.charAt(MAX_VALUE_LENGTH - 1));
		return value.substring(0, apart ? MAX_VALUE_LENGTH - 1 : MAX_VALUE_LENGTH);
	}

	@Override
	public @Nullable Object observe(JobContext job, @Nullable String metadata, JobInterceptor.Invocation handler)
			throws Exception {
		Map<String, String> headers = new JobMetadata(metadata).headers();
		for (String key : this.keys) {
			String value = headers.get(PREFIX + key);
			if (value != null) {
				MDC.put(key, cut(value));
			}
		}
		// The worker clears the context after each attempt.
		return handler.proceed();
	}

}
