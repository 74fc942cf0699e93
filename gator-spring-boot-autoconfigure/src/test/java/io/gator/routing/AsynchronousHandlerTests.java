package io.gator.routing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;

import io.gator.Job;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;

import org.springframework.scheduling.annotation.Async;

/**
 * A handler that returns before its work is done is refused, whatever promises the rest.
 */
class AsynchronousHandlerTests {

	@Test
	void aHandlerThatRunsOnAThreadOfSomebodyElseIsRefused() {
		Failure.of(AsyncClass.class).describes(AsyncClass.class.getName(), "@Async").advises("Remove @Async");
		Failure.of(AsyncHandle.class).describes(AsyncHandle.class.getName(), "@Async");
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsCompletableFuture.class, ReturnsFuture.class, ReturnsStage.class, ReturnsFlow.class,
			ReturnsPublisher.class, ReturnsMono.class, ReturnsFlux.class })
	void aHandlerThatReturnsAPromiseIsRefused(Class<?> job) throws NoSuchMethodException {
		Failure.of(job)
			.describes(job.getName(), job.getDeclaredMethod("handle").getReturnType().getName())
			.advises("Wait for the outcome");
	}

	@Test
	void aHandlerThatIsSuspendedIsRefused() {
		Failure.of(SuspendingHandle.class)
			.describes(SuspendingHandle.class.getName(), "suspending function")
			.advises("runBlocking");
	}

	@Job
	@Async
	static class AsyncClass {

		void handle() {
		}

	}

	@Job
	static class AsyncHandle {

		@Async
		public void handle() {
		}

	}

	@Job
	static class ReturnsCompletableFuture {

		CompletableFuture<String> handle() {
			return CompletableFuture.completedFuture("");
		}

	}

	@Job
	static class ReturnsFuture {

		FutureTask<String> handle() {
			return new FutureTask<>(() -> "");
		}

	}

	@Job
	static class ReturnsStage {

		CompletionStage<String> handle() {
			return CompletableFuture.completedStage("");
		}

	}

	@Job
	static class ReturnsFlow {

		Flow.Publisher<String> handle() {
			return (subscriber) -> {
			};
		}

	}

	@Job
	static class ReturnsPublisher {

		Publisher<String> handle() {
			return (subscriber) -> {
			};
		}

	}

	@Job
	static class ReturnsMono {

		Mono handle() {
			return new Mono();
		}

	}

	@Job
	static class ReturnsFlux {

		Flux handle() {
			return new Flux();
		}

	}

	// As Kotlin compiles a suspending function.
	@Job
	static class SuspendingHandle {

		Object handle(String text, Continuation<? super Unit> continuation) {
			return Unit.INSTANCE;
		}

	}

	/** As in Reactor, by another interface. */
	interface CorePublisher extends Publisher<String> {

	}

	static class Mono implements CorePublisher {

		@Override
		public void subscribe(Subscriber<? super String> subscriber) {
		}

	}

	/** By its superclass. */
	static class Flux extends Mono {

	}

}
