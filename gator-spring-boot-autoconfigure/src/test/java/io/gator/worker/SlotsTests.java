package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.store.Settlement;
import io.gator.test.Unspeakable;
import io.gator.worker.Execution.Stop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class SlotsTests {

	private final BlockingQueue<Settlement> settled = new LinkedBlockingQueue<>();

	/** How many slots were busy whenever one had become free. */
	private final BlockingQueue<Integer> finished = new LinkedBlockingQueue<>();

	private final Buffer buffer = new Buffer();

	private volatile boolean hasThreads = true;

	private final Prefetch prefetch = new Prefetch(() -> 1, TimeUnit.HOURS.toNanos(1));

	private final Slots slots = new Slots(TestSettings.slots(1).get(), () -> 1, this.buffer, new Settled(),
			this.prefetch, this.finished::add, this::run);

	private void run(Runnable slot) {
		if (!this.hasThreads) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		new Thread(slot).start();
	}

	@AfterEach
	void stop() {
		this.slots.stop();
	}

	@Test
	void anErrorThatNobodyForesawIsChargedOrItsJobWouldBeRunForEver() throws Exception {
		this.slots.start();
		this.buffer.put(List.of(new Unforeseen()));
		assertThat(this.settled.poll(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(Settlement.Requeued.class,
				(back) -> {
					assertThat(back.charged()).isTrue();
					assertThat(back.error()).contains("unexpected").contains("never thought of");
				});
		assertGoesOn();
	}

	@Test
	void aSlotSaysForHowLongItWasBusy() throws Exception {
		this.slots.start();
		assertThat(this.prefetch.target()).as("nothing is known").isZero();
		assertGoesOn();
		assertThat(this.finished.poll(30, TimeUnit.SECONDS)).isZero();
		assertThat(this.prefetch.target()).isPositive();
	}

	@Test
	void aSlotIsNotReplacedWhenThePoolStopsOrItWouldNotWaitForTheHandler() throws Exception {
		DeafExecution stuck = startStuck();
		this.slots.stop();
		this.slots.replaceStuck(afterItsPatience());
		assertThat(this.slots.stuck()).isZero();
		assertThat(this.slots.busy()).isOne();
		stuck.mayEnd.countDown();
	}

	@Test
	void aSlotIsNotReplacedForAJobThatHasEndedMeanwhile() throws Exception {
		DeafExecution sound = new DeafExecution();
		DeafExecution stuck = new DeafExecution() {
			@Override
			String describe() {
				// It ends while it is said that it does not.
				this.mayEnd.countDown();
				DeafExecution.await(sound.begun);
				return super.describe();
			}
		};
		this.slots.start();
		this.buffer.put(List.of(stuck, sound));
		stuck.begun.await();
		stuck.stop(Stop.CANCELLED);
		this.slots.replaceStuck(afterItsPatience());
		assertThat(this.slots.stuck()).isZero();
		assertThat(this.slots.busy()).isOne();
		sound.mayEnd.countDown();
		assertGoesOn();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void noMoreSlotsAreAddedThanThePoolHasHoweverManyJobsAreStuck(CapturedOutput output) throws Exception {
		List<DeafExecution> stuck = List.of(new DeafExecution(), new DeafExecution() {
			@Override
			String describe() {
				return "the second job";
			}
		});
		this.slots.start();
		this.buffer.put(stuck);
		for (DeafExecution each : stuck) {
			each.begun.await();
			each.stop(Stop.CANCELLED);
			this.slots.replaceStuck(afterItsPatience());
			this.slots.replaceStuck(afterItsPatience());
			assertThat(this.slots.stuck()).isOne();
		}
		assertThat(this.slots.busy()).as("the one in place of the first").isOne();
		assertThat(stuck).extracting((each) -> each.timesReplaced).containsExactly(1, 0);
		assertThat(output).containsOnlyOnce("The handler of the second job ignores its interrupt");
		stuck.get(0).mayEnd.countDown();
		await().until(() -> this.slots.stuck() == 0);
		this.slots.replaceStuck(afterItsPatience());
		assertThat(stuck).extracting((each) -> each.timesReplaced).containsExactly(1, 1);
		assertGoesOn();
		stuck.get(1).mayEnd.countDown();
	}

	@Test
	void aSlotWhoseThreadCannotBeStartedIsAddedLater() throws Exception {
		DeafExecution stuck = startStuck();
		this.hasThreads = false;
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(OutOfMemoryError.class)
				.isThrownBy(() -> this.slots.replaceStuck(afterItsPatience()));
			assertThat(this.slots.stuck()).isOne();
			assertThat(this.slots.busy()).isZero();
			assertThat(stuck.timesReplaced).isOne();
		}
		this.hasThreads = true;
		this.slots.replaceStuck(afterItsPatience());
		assertGoesOn();
		stuck.mayEnd.countDown();
		await().until(() -> this.slots.stuck() == 0);
		assertGoesOn();
	}

	@Test
	void aJobWhoseErrorCannotBeDescribedIsSettledAllTheSame() throws Exception {
		this.slots.start();
		this.buffer.put(List.of(new Unforeseen() {
			@Override
			String describe() {
				throw new Unspeakable();
			}
		}));
		assertThat(this.settled.poll(30, TimeUnit.SECONDS)).isInstanceOf(Settlement.Requeued.class);
		assertGoesOn();
	}

	@Test
	void aJobIsChargedThoughItsErrorCannotBeWrittenDown() throws Exception {
		this.slots.start();
		this.buffer.put(List.of(new TestExecution(1) {
			@Override
			void run(Settlements settlements) {
				throw new Error() {
					private static final long serialVersionUID = 1L;

					@Override
					public StackTraceElement[] getStackTrace() {
						throw new OutOfMemoryError();
					}
				};
			}
		}));
		assertThat(this.settled.poll(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(Settlement.Requeued.class,
				(requeued) -> assertThat(requeued.charged()).isTrue());
		assertGoesOn();
	}

	@Test
	void aJobForWhoseReleaseThereIsNoMemoryIsReleasedLater() throws Exception {
		AtomicInteger tries = new AtomicInteger();
		this.slots.start();
		this.buffer.put(List.of(new Unforeseen() {
			@Override
			void release(Settlements settlements) {
				if (tries.incrementAndGet() < 3) {
					throw new OutOfMemoryError();
				}
				super.release(settlements);
			}
		}));
		assertThat(this.settled.poll(30, TimeUnit.SECONDS)).isInstanceOf(Settlement.Requeued.class);
		assertGoesOn();
	}

	@Test
	void aSlotEndsWithItsPoolThoughThereIsNoMemoryForTheReleaseOfItsJob() throws Exception {
		CountDownLatch tried = new CountDownLatch(1);
		this.slots.start();
		this.buffer.put(List.of(new Unforeseen() {
			@Override
			void release(Settlements settlements) {
				tried.countDown();
				throw new OutOfMemoryError();
			}
		}));
		tried.await();
		this.slots.stop();
		assertThat(this.finished.poll(30, TimeUnit.SECONDS)).as("busy slots").isZero();
	}

	@Test
	void aSlotIsFreeAgainWhateverItsJobHasMet() throws Exception {
		this.slots.start();
		this.buffer.put(List.of(new Unforeseen() {
			@Override
			void release(Settlements settlements) {
				throw new IllegalStateException("not this either");
			}
		}));
		assertThat(this.finished.poll(30, TimeUnit.SECONDS)).as("busy slots").isZero();
		assertGoesOn();
	}

	@Test
	void anErrorOfWhichNothingCanBeSaidDoesNotEndASlot() throws Exception {
		this.slots.start();
		this.buffer.put(List.of(new Unforeseen() {
			@Override
			void release(Settlements settlements) {
				throw new Unspeakable();
			}
		}));
		assertGoesOn();
	}

	@Test
	void aSlotForWhoseBeginningThereIsNoMemoryBeginsLater() throws Exception {
		AtomicInteger tries = new AtomicInteger();
		Slots poor = new Slots(TestSettings.slots(1).get(), () -> 1, this.buffer, new Settled(),
				new Prefetch(() -> 1, 0), this.finished::add, (slot) -> new Thread(slot) {
					@Override
					public ClassLoader getContextClassLoader() {
						if (tries.incrementAndGet() < 3) {
							throw new OutOfMemoryError();
						}
						return super.getContextClassLoader();
					}
				}.start());
		poor.start();
		assertGoesOn();
		poor.stop();
	}

	/** The only slot runs what ignores that it was stopped. */
	private DeafExecution startStuck() throws InterruptedException {
		DeafExecution stuck = new DeafExecution();
		this.slots.start();
		this.buffer.put(List.of(stuck));
		stuck.begun.await();
		stuck.stop(Stop.CANCELLED);
		return stuck;
	}

	private void assertGoesOn() throws InterruptedException {
		this.buffer.put(List.of(new TestExecution(2)));
		assertThat(this.settled.poll(30, TimeUnit.SECONDS)).as("the slot goes on")
			.isInstanceOf(Settlement.Succeeded.class);
	}

	private static long afterItsPatience() {
		return System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
	}

	/** Throws where no handler is called. */
	private static class Unforeseen extends Execution {

		Unforeseen() {
			super(1, 0, 1);
		}

		@Override
		Collection<Long> ids() {
			return List.of(1L);
		}

		@Override
		String describe() {
			return "job 1";
		}

		@Override
		void run(Settlements settlements) {
			throw new IllegalStateException("never thought of");
		}

		@Override
		void release(Settlements settlements) {
			settlements.settle(this, new Settlement.Requeued(1, 1, null, null, null, false, 0), Settlements.NOTHING);
		}

	}

	private final class Settled extends TestSettlements {

		@Override
		public void settle(Execution execution, Settlement settlement, Runnable landed) {
			SlotsTests.this.settled.add(settlement);
		}

	}

}
