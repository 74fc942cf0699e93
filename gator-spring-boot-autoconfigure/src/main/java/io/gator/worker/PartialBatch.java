package io.gator.worker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.gator.JobBatch;
import org.jspecify.annotations.Nullable;

/**
 * A batch, as a handler that can fail some of its items sees it.
 */
final class PartialBatch implements JobBatch<Object> {

	private final List<Object> values;

	private final Map<Object, List<BatchItem>> byIdentity = new IdentityHashMap<>();

	@SuppressWarnings({ "unchecked", "NullAway" })
	PartialBatch(List<@Nullable Object> values, List<BatchItem> items) {
		this.values = (List<Object>) (List<?>) Collections.unmodifiableList(values);
		for (BatchItem item : items) {
			this.byIdentity.computeIfAbsent(item.value, (value) -> new ArrayList<>()).add(item);
		}
	}

	@Override
	public List<Object> items() {
		return this.values;
	}

	@Override
	public void fail(Object item, Throwable cause) {
		Objects.requireNonNull(cause, "cause");
		List<BatchItem> found = this.byIdentity.get(item);
		if (found == null) {
			throw new IllegalArgumentException("The item does not belong to this batch");
		}
		// Values that the JVM shares, such as small numbers, may stand for several items.
		found.stream().filter((one) -> one.error == null).findFirst().ifPresent((one) -> one.error = cause);
	}

}
