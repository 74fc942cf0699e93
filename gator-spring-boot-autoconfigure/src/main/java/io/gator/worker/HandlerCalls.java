package io.gator.worker;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.function.Consumer;

import io.gator.JobContext;
import io.gator.JobInterceptor;
import io.gator.JobListener;
import io.gator.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls handlers through the hooks that applications put around them. Thread-safe.
 */
final class HandlerCalls {

	private static final Logger logger = LoggerFactory.getLogger(HandlerCalls.class);

	private final List<JobInterceptor> interceptors;

	private final List<JobListener> listeners;

	private final @Nullable AttemptObserver observer;

	HandlerCalls(List<JobInterceptor> interceptors, List<JobListener> listeners, @Nullable AttemptObserver observer) {
		this.interceptors = List.copyOf(interceptors);
		this.listeners = List.copyOf(listeners);
		this.observer = observer;
	}

	/**
	 * Call a handler.
	 * @param job the attempt
	 * @param metadata the metadata of its row, if any
	 * @param handler the call itself
	 * @return what the handler returned
	 * @throws Exception what the handler or a hook threw
	 */
	@Nullable Object call(JobContext job, @Nullable String metadata, Call handler) throws Exception {
		if (this.observer == null && this.interceptors.isEmpty()) {
			return proceed(handler);
		}
		JobInterceptor.Invocation invocation = () -> proceed(handler);
		for (int i = this.interceptors.size() - 1; i >= 0; i--) {
			JobInterceptor interceptor = this.interceptors.get(i);
			JobInterceptor.Invocation next = invocation;
			invocation = () -> interceptor.intercept(job, next);
		}
		return (this.observer != null) ? this.observer.observe(job, metadata, invocation) : invocation.proceed();
	}

	private static @Nullable Object proceed(Call handler) throws Exception {
		try {
			return handler.call();
		}
		catch (Exception | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new Wrapped(ex);
		}
	}

	/**
	 * What a handler threw, whatever hooks it passed on its way.
	 * @param thrown what came out of {@link #call}
	 * @return the same, or what it was before this class wrapped it
	 */
	static Throwable unwrapped(Throwable thrown) {
		return (thrown instanceof Wrapped wrapped) ? wrapped.getUndeclaredThrowable() : thrown;
	}

	/**
	 * Prepare to tell all listeners of an event once it has happened.
	 * @param event what to tell
	 * @return what tells them, or {@link Settlements#NOTHING} if nobody listens
	 */
	Runnable later(Consumer<JobListener> event) {
		return this.listeners.isEmpty() ? Settlements.NOTHING : () -> tell(event);
	}

	/**
	 * Tell all listeners. No listener can stop the others, or leave them a transaction:
	 * what they dispatched in it would never be committed.
	 * @param event what to tell
	 */
	void tell(Consumer<JobListener> event) {
		for (JobListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.warn("Listener {} failed: {}", listener.getClass().getName(), ErrorText.of(ex));
			}
			finally {
				ThreadState.clean(listener);
			}
		}
	}

	/**
	 * The call of a handler.
	 */
	@FunctionalInterface
	interface Call {

		@Nullable Object call() throws Throwable;

	}

	/**
	 * Holds a throwable that is neither an exception nor an error: hooks could not throw
	 * it on.
	 */
	private static final class Wrapped extends UndeclaredThrowableException {

		private static final long serialVersionUID = 1L;

		Wrapped(Throwable thrown) {
			super(thrown);
		}

	}

}
