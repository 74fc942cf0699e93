package io.gator.maintenance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.test.UnspeakableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

class HeartbeatTests {

	private final List<Boolean> told = new ArrayList<>();

	private long now = -5;

	private boolean away;

	private final Heartbeat heartbeat = new Heartbeat(List.of(() -> {
		if (this.away) {
			throw new IllegalStateException("no connection");
		}
		return true;
	}, () -> true), Duration.ofSeconds(1), (steady) -> this.told.add(steady.getAsBoolean()), () -> this.now);

	private boolean steadyAfter(Duration pause) {
		this.now += pause.toNanos();
		this.told.clear();
		this.heartbeat.runOnce();
		assertThat(this.told).hasSize(1);
		return this.told.get(0);
	}

	@Test
	void aProcessIsSteadyFromTheFirstWhileItsBeatsComeInTime() {
		assertThat(steadyAfter(Duration.ofSeconds(1))).isTrue();
		assertThat(steadyAfter(Duration.ofSeconds(3))).isTrue();
	}

	@Test
	void aProcessIsNotSteadyForTenSecondsAfterABeatThatFailed() {
		assertThat(steadyAfter(Duration.ofSeconds(1))).isTrue();
		this.away = true;
		assertThat(steadyAfter(Duration.ofSeconds(1))).isFalse();
		this.away = false;
		for (int second = 1; second <= 10; second++) {
			assertThat(steadyAfter(Duration.ofSeconds(1))).isFalse();
		}
		assertThat(steadyAfter(Duration.ofNanos(1))).isTrue();
	}

	@Test
	void aProcessIsNotSteadyForTenSecondsAfterABeatThatCameTooLate() {
		assertThat(steadyAfter(Duration.ofSeconds(3).plusNanos(1))).isFalse();
		assertThat(steadyAfter(Duration.ofSeconds(2))).isFalse();
		for (int more = 0; more < 3; more++) {
			assertThat(steadyAfter(Duration.ofSeconds(2))).isFalse();
		}
		assertThat(steadyAfter(Duration.ofSeconds(2))).isFalse();
		assertThat(steadyAfter(Duration.ofNanos(1))).isTrue();
	}

	@Test
	void aProcessWhoseBeatsFailedIsNotSteadyForTenSecondsAfterTheNextOneThatCameTooLate() {
		this.away = true;
		assertThat(steadyAfter(Duration.ofSeconds(1))).isFalse();
		this.away = false;
		assertThat(steadyAfter(Duration.ofMillis(2_500))).isFalse();
		for (int more = 0; more < 5; more++) {
			assertThat(steadyAfter(Duration.ofSeconds(2))).isFalse();
		}
		assertThat(steadyAfter(Duration.ofNanos(1))).isTrue();
	}

	@Test
	void aPoolIsMissedIfAnyOtherMissesIt() {
		assertThat(missed(false, true)).isTrue();
		assertThat(missed(true, false)).isTrue();
		assertThat(missed(false, false)).isFalse();
	}

	private boolean missed(boolean byFirst, boolean bySecond) {
		this.told.clear();
		new Heartbeat(List.of(() -> byFirst, () -> bySecond), Duration.ofSeconds(1), (steady) -> this.told.add(true))
			.runOnce();
		return !this.told.isEmpty();
	}

	@Test
	void itBeatsOnOneThreadFromEachStartToTheNextStop() throws Exception {
		Rounds beats = new Rounds();
		Heartbeat beating = new Heartbeat(List.of(() -> {
			beats.run();
			return false;
		}), Duration.ofMillis(1), (steady) -> {
		});
		beats.assertDoneBy(1, beating::start, beating::stop);
	}

	@Test
	void theTimeBeforeTheStartOfAProcessIsNoBeatThatCameTooLate() {
		Heartbeat late = new Heartbeat(List.of(() -> true), Duration.ofHours(1),
				(steady) -> this.told.add(steady.getAsBoolean()), () -> this.now);
		this.now += Duration.ofHours(4).toNanos();
		late.start();
		try {
			late.runOnce();
			assertThat(this.told).containsExactly(true);
		}
		finally {
			late.stop();
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void anErrorIsToldAndDoesNotEndTheBeats(CapturedOutput output) throws Exception {
		CountDownLatch beats = new CountDownLatch(3);
		Heartbeat beating = new Heartbeat(List.of(() -> {
			beats.countDown();
			throw new AssertionError("not this time");
		}), Duration.ofMillis(1), (steady) -> {
		});
		assertGoesOn(beating, beats);
		assertThat(beating.runOnce()).as("a beat that failed").isOne();
		assertThat(output).contains("The beat of a pool met an unexpected error, and will be tried again")
			.contains("AssertionError: not this time");
	}

	@Test
	void aPoolWhoseTroubleCannotBeToldKeepsNoOtherFromBeating() {
		AtomicInteger beats = new AtomicInteger();
		Heartbeat heartbeat = new Heartbeat(List.of(() -> {
			throw new UnspeakableException();
		}, () -> {
			beats.incrementAndGet();
			return false;
		}), Duration.ofHours(1), (steady) -> {
		});
		assertThat(heartbeat.runOnce()).isOne();
		assertThat(beats).hasValue(1);
	}

	@Test
	void anErrorThatCannotEvenBeToldDoesNotEndTheBeatsNorThoseOfOthers() throws Exception {
		CountDownLatch beats = new CountDownLatch(3);
		Heartbeat beating = new Heartbeat(List.of(() -> {
			throw new OutOfMemoryError() {
				private static final long serialVersionUID = 1L;

				@Override
				public String getMessage() {
					throw this;
				}
			};
		}, () -> {
			beats.countDown();
			return false;
		}), Duration.ofMillis(1), (steady) -> {
		});
		assertGoesOn(beating, beats);
	}

	@Test
	void whatIsDoneAboutAPoolThatIsMissedMayFailAndTheBeatsGoOn() throws Exception {
		CountDownLatch beats = new CountDownLatch(3);
		Heartbeat beating = new Heartbeat(List.of(() -> {
			beats.countDown();
			return true;
		}), Duration.ofMillis(1), (steady) -> {
			throw new IllegalStateException("nobody can be asked");
		});
		assertGoesOn(beating, beats);
	}

	private static void assertGoesOn(Heartbeat beating, CountDownLatch beats) throws InterruptedException {
		beating.start();
		try {
			assertThat(beats.await(30, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			beating.stop();
		}
	}

}
