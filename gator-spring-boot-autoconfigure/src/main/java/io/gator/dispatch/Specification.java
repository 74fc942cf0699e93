package io.gator.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import io.gator.DispatchSpec;
import org.jspecify.annotations.Nullable;

/**
 * A dispatch being specified.
 *
 * @param dispatcher what will carry it out
 * @param target what is specified so far
 */
record Specification(Dispatcher dispatcher, Target target) implements DispatchSpec {

	@Override
	public DispatchSpec queue(String queue) {
		return new Specification(this.dispatcher, this.target.withQueue(queue));
	}

	@Override
	public DispatchSpec delay(Duration wait) {
		return new Specification(this.dispatcher, this.target.withDelay(wait));
	}

	@Override
	public DispatchSpec at(Instant time) {
		return new Specification(this.dispatcher, this.target.withTime(time));
	}

	@Override
	public DispatchSpec uniqueKey(String key) {
		return new Specification(this.dispatcher, this.target.withUniqueKey(key));
	}

	@Override
	public long dispatch(@Nullable Object... args) {
		return this.dispatcher.dispatch(this.target, List.of(), null, args);
	}

	@Override
	public List<Long> dispatchMany(Collection<?> each) {
		return this.dispatcher.dispatchMany(this.target, each);
	}

}
