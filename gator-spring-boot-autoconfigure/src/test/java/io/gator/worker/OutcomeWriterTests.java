package io.gator.worker;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;

import io.gator.store.Settlement;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeWriterTests {

	private final FakeJobStore store = new FakeJobStore();

	private final List<Outcome> landed = new ArrayList<>();

	private final OutcomeWriter writer = new OutcomeWriter("test", this.store, WorkerMetrics.NONE, new Sleeper(),
			() -> false, (batch, lost, answerLost) -> this.landed.addAll(batch));

	@Test
	void outcomesAreNotLostWhereThereIsNoMemoryToSortThem() {
		List<Outcome> batch = new ArrayList<>() {

			private boolean failed;

			@Override
			public Iterator<Outcome> iterator() {
				if (!this.failed) {
					this.failed = true;
					throw new OutOfMemoryError("none left");
				}
				return super.iterator();
			}

		};
		LongStream.rangeClosed(1, 3)
			.mapToObj((id) -> new Outcome(new TestExecution(id), new Settlement.Succeeded(id, 1, null, null),
					Settlements.NOTHING, null))
			.forEach(batch::add);
		this.writer.write(batch);
		assertThat(this.store.writtenIds()).containsExactly(1L, 2L, 3L);
		assertThat(this.landed).hasSize(3);
	}

}
