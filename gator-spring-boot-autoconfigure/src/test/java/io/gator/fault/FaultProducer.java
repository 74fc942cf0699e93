package io.gator.fault;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.gator.JobTemplate;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What a process does that is to end while it dispatches: some jobs one by one, some in
 * transactions of its own, one of which is rolled back, and bulks of several chunks, with
 * and without a transaction. It writes down what it is about to do before it does so, and
 * what it has learned after.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("gator.fault.produce")
class FaultProducer implements ApplicationRunner {

	/** Two chunks. */
	private static final int BULK = 51_000;

	private final JobTemplate jobs;

	private final TransactionTemplate transaction;

	private final Journal journal;

	private int number;

	FaultProducer(JobTemplate jobs, PlatformTransactionManager transactions, Journal journal,
			@Value("${gator.fault.produce}") int first) {
		this.jobs = jobs;
		this.transaction = new TransactionTemplate(transactions);
		this.journal = journal;
		this.number = first;
	}

	@Override
	public void run(ApplicationArguments arguments) {
		for (int i = 0; i < 3; i++) {
			operation(1, "acked", this::oneByOne);
		}
		operation(3, "rolledback", (numbers) -> this.transaction.execute((status) -> {
			status.setRollbackOnly();
			return oneByOne(numbers);
		}));
		operation(3, "acked", (numbers) -> this.transaction.execute((status) -> oneByOne(numbers)));
		operation(BULK, "acked", this::atOnce);
		operation(BULK, "acked", (numbers) -> this.transaction.execute((status) -> atOnce(numbers)));
		// It was to have ended before.
		Runtime.getRuntime().halt(0);
	}

	private void operation(int count, String outcome, Function<List<Integer>, List<Long>> how) {
		List<Integer> numbers = IntStream.range(this.number, this.number + count).boxed().toList();
		this.number += count;
		this.journal.write("intended", numbers.get(0), count);
		List<Long> ids = how.apply(numbers);
		for (int i = 0; i < count; i++) {
			this.journal.write(outcome, ids.get(i), "Note", numbers.get(i));
		}
	}

	private List<Long> oneByOne(List<Integer> numbers) {
		return numbers.stream().map((number) -> this.jobs.dispatch(FaultWorker.Note.class, number)).toList();
	}

	private List<Long> atOnce(List<Integer> numbers) {
		return this.jobs.dispatchMany(FaultWorker.Note.class, numbers);
	}

}
