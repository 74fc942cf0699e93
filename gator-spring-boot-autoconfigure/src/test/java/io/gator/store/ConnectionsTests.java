package io.gator.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * P13: whoever looks at jobs cannot take the connections with which they are run.
 */
@FreshDatabase
class ConnectionsTests {

	private static final int CALLERS = 6;

	private final DatabaseHandle database;

	ConnectionsTests(DatabaseHandle database) {
		this.database = database;
		JobTable.empty(database);
	}

	@Test
	void aPoolClaimsWhileManyListJobs() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
		try (EngineDataSource engine = EngineDataSource.derive(this.database.hikari(1), 3, Duration.ofMinutes(1));
				Connection other = this.database.createDataSource().getConnection()) {
			GatorStores stores = GatorStores.open(engine, "public", Duration.ofMinutes(1), true);
			other.setAutoCommit(false);
			other.createStatement().execute("lock table gator_dead_job in access exclusive mode");
			List<CompletableFuture<List<StoredJob>>> lists = Stream.generate(
					() -> CompletableFuture.supplyAsync(() -> stores.admin().list(JobQuery.of(JobState.DEAD)), threads))
				.limit(CALLERS)
				.toList();
			await().until(() -> this.database.waitingForLocks() == 2);
			assertThat(stores.jobs().nextDue(List.of("Work"), List.of("default"), 0).seconds()).isEmpty();
			stores.insight().ping();
			stores.admin().pause("default");
			assertThat(stores.admin().cancel(1)).isEqualTo(AdminStore.Cancellation.NOTHING);
			stores.admin().resume("default");
			assertThatExceptionOfType(StoreException.class).as("whoever counts is one of the many")
				.isThrownBy(() -> stores.insight().count(10))
				.withMessageContaining("the connections for it were in use by others for 5 s");
			await().atMost(Duration.ofSeconds(30))
				.until(() -> lists.stream().filter(CompletableFuture::isDone).count() == CALLERS - 2);
			assertThat(lists.stream().filter(CompletableFuture::isDone))
				.allSatisfy((list) -> assertThatExceptionOfType(CompletionException.class).isThrownBy(list::join)
					.havingCause()
					.isInstanceOfSatisfying(StoreException.class,
							(ex) -> assertThat(ex.kind()).isEqualTo(StoreException.Kind.PASSING))
					.withMessageContaining("the connections for it were in use by others for 5 s"));
			other.commit();
			await().until(() -> lists.stream().allMatch(CompletableFuture::isDone));
			assertThat(lists).filteredOn((list) -> !list.isCompletedExceptionally()).hasSize(2);
			assertThat(stores.admin().list(JobQuery.of(JobState.DEAD))).isEmpty();
		}
		finally {
			threads.shutdownNow();
		}
	}

}
