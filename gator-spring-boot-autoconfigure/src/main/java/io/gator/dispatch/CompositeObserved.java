package io.gator.dispatch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A dispatch that several observers watch. They end in the opposite order.
 *
 * @param all what each of them watches with
 */
record CompositeObserved(List<DispatchObserver.Observed> all) implements DispatchObserver.Observed {

	@Override
	public Map<String, String> headers() {
		Map<String, String> headers = new HashMap<>();
		this.all.forEach((each) -> headers.putAll(each.headers()));
		return headers;
	}

	@Override
	public void end(@Nullable Throwable error) {
		for (int i = this.all.size() - 1; i >= 0; i--) {
			this.all.get(i).end(error);
		}
	}

}
