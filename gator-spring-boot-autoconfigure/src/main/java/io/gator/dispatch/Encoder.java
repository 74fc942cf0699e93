package io.gator.dispatch;

import io.gator.JobArgs;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Route;
import io.gator.store.NewArgs;
import org.jspecify.annotations.Nullable;

/**
 * Turns the arguments of a job into what goes into its row.
 */
final class Encoder {

	private final ArgsCodec codec;

	Encoder(ArgsCodec codec) {
		this.codec = codec;
	}

	NewArgs encode(Target target, @Nullable Object @Nullable [] args) {
		Route route = target.route();
		if (route == null) {
			return new NewArgs(this.codec.encode(target.name(), args), target.uniqueKey(), null);
		}
		String json = this.codec.encode(route, args);
		String key = (target.uniqueKey() != null) ? target.uniqueKey() : this.codec.uniqueKey(route, args);
		return new NewArgs(json, key, this.codec.batchKey(route, json));
	}

	/**
	 * Encode an element of a bulk.
	 * @param target the job
	 * @param element its single argument, or {@link JobArgs}
	 * @return what goes into the row
	 */
	NewArgs encodeElement(Target target, Object element) {
		return encode(target,
				(element instanceof JobArgs args) ? args.values().toArray() : new @Nullable Object[] { element });
	}

}
