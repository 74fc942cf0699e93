package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.gator.Job;
import io.gator.store.StoreExceptions;
import io.gator.test.Unspeakable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * When the thread of a poller sleeps, and what ends its sleep.
 */
class PollerLoopTests {

	private static final int SLOTS = 10;

	/** In milliseconds. Longer than any pause, and shorter than the poll interval. */
	private static final long PATIENCE = 30_000;

	private static final PoolSettings SETTINGS = TestSettings.slots(SLOTS)
		.queues(Map.of("big", 1))
		.pollInterval(Duration.ofHours(1))
		.prefetch(Duration.ofMillis(50))
		.lease(Duration.ofDays(1))
		.get();

	/** How long a pool must not have been heard to send nothing. */
	private static final long SILENCE = SETTINGS.lease().toNanos() * 2 / 3;

	private final CountedQueues table = new CountedQueues();

	private final TestPoller poller = new TestPoller(SETTINGS, this.table, Work.class);

	private final Thread loop = new Thread(this.poller::loop);

	private final Semaphore claims = new Semaphore(0);

	@BeforeEach
	void pollOnce() {
		this.loop.setDaemon(true);
		this.table.waiting = Map.of("big", SLOTS);
		this.poller.learnOfShortJobs();
		this.poller.runOnce();
		this.poller.startClaimed();
		// So that the next claim is of a poll, after which nothing is owed for an hour.
		this.table.pass(Duration.ofHours(2).toNanos());
	}

	@AfterEach
	void stop() throws InterruptedException {
		this.poller.stop();
		this.loop.join(PATIENCE);
		this.poller.close();
	}

	@Test
	void aPollerThatSleepsEndsWhenItIsStopped() throws Exception {
		startUntilItSleeps();
		this.poller.stop();
		this.loop.join(PATIENCE);
		assertThat(this.loop.isAlive()).isFalse();
	}

	@Test
	void whatWentBackWhileASlotIsIdleIsClaimedAtOnce() throws Exception {
		this.poller.finished();
		startUntilItSleeps();
		this.poller.wentBack();
		assertClaims(1);
	}

	@Test
	void whatWentBackWhileAllSlotsWereBusyIsClaimedForTheNextOneThatIsIdle() throws Exception {
		this.table.onNextDue = () -> {
			// The last that the poller does before it sleeps until the next poll.
			this.table.onClaim = this.claims::release;
			this.poller.wentBack();
			this.poller.finished();
		};
		this.loop.start();
		assertClaims(1);
	}

	@Test
	void anErrorOfWhichNothingCanBeSaidDoesNotEndTheLoop() throws Exception {
		startWithAFailure(new Unspeakable());
		assertThat(this.table.looks).as("looked for what the claim had reserved").isNotEmpty();
	}

	@Test
	void whoLosesAnAnswerClaimsUnderAnotherIdentityFromThenOn() throws Exception {
		startWithAFailure(StoreExceptions.answerLost());
		awaitSleep();
		this.poller.wake(List.of("big"));
		assertClaims(1);
		assertThat(this.poller.identities()).isEqualTo(2);
	}

	@Test
	void whoIsRefusedAClaimKeepsItsIdentity() throws Exception {
		startWithAFailure(StoreExceptions.passing());
		assertThat(this.poller.identities()).isEqualTo(1);
	}

	@Test
	void noSignalShortensThePausesAfterErrors() throws Exception {
		int failures = 4;
		List<Long> times = new ArrayList<>();
		this.table.failures.addAll(IntStream.range(0, failures).mapToObj((n) -> StoreExceptions.passing()).toList());
		this.table.onClaim = () -> {
			times.add(System.nanoTime());
			this.poller.wake(List.of("big"));
			this.claims.release();
		};
		this.loop.start();
		assertClaims(failures + 1);
		assertThat(Duration.ofNanos(times.get(failures) - times.get(0)))
			.as("half of 50, 100, 200 and 400 ms, and no less")
			.isGreaterThanOrEqualTo(Duration.ofMillis(375));
	}

	@Test
	void aClaimThatHangsIsATroubleUntilItIsAnswered() throws Exception {
		Semaphore answer = new Semaphore(0);
		this.table.onClaim = () -> {
			this.claims.release();
			answer.acquireUninterruptibly();
		};
		assertThat(this.poller.trouble()).isNull();
		this.loop.start();
		assertClaims(1);
		assertThat(this.poller.trouble()).isNotNull();
		// Of this claim, and of those that follow.
		answer.release(1_000);
		await().until(() -> this.poller.trouble() == null);
	}

	@Test
	void aPollerThatSendsNothingIsInNoTrouble() {
		// It is the beats that are.
		this.table.pass(SILENCE);
		startUntilItSleeps();
		await().until(() -> this.poller.trouble() == null);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aPollerThatSendsNothingDoesNotSayThatItWorksAgain(CapturedOutput output) throws Exception {
		this.table.failures.add(StoreExceptions.passing());
		CountDownLatch failed = new CountDownLatch(1);
		this.table.onClaim = () -> {
			this.table.pass(SILENCE);
			this.table.onClaim = this.claims::release;
			failed.countDown();
		};
		this.loop.start();
		assertThat(failed.await(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
		awaitSleep();
		assertThat(output).contains("Polling of pool test waits for the database").doesNotContain("works again");
		// As if it had been heard just now.
		this.table.pass(-SILENCE);
		assertClaims(1);
		await().until(() -> output.getOut().contains("Polling of pool test works again"));
	}

	/** And wait for the claim that comes after the one that fails. */
	private void startWithAFailure(Throwable failure) throws InterruptedException {
		this.table.failures.add(failure);
		this.table.onClaim = this.claims::release;
		this.loop.start();
		assertClaims(2);
	}

	private void startUntilItSleeps() {
		this.loop.start();
		awaitSleep();
		this.table.onClaim = this.claims::release;
	}

	/** Not in the pause after an error, which is another sleep. */
	private void awaitSleep() {
		await().until(() -> {
			List<String> frames = Stream.of(this.loop.getStackTrace()).map(StackTraceElement::getMethodName).toList();
			return frames.contains("await") && frames.indexOf("loop") == frames.lastIndexOf("await") + 1;
		});
	}

	private void assertClaims(int claims) throws InterruptedException {
		assertThat(this.claims.tryAcquire(claims, PATIENCE, TimeUnit.MILLISECONDS)).as("it claims again").isTrue();
	}

	@Job
	static class Work {

		void handle() {
		}

	}

}
