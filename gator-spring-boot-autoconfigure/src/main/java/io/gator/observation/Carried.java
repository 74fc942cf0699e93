package io.gator.observation;

import java.util.Map;

import io.gator.dispatch.DispatchObserver;
import org.jspecify.annotations.Nullable;

/**
 * A dispatch whose rows carry headers and whose end is not observed.
 *
 * @param headers what the rows carry
 */
record Carried(Map<String, String> headers) implements DispatchObserver.Observed {

	@Override
	public void end(@Nullable Throwable error) {
	}

}
