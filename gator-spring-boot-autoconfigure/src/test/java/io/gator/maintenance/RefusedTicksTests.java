package io.gator.maintenance;

import java.time.Duration;
import java.util.List;

import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.UpkeepStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * What a ticker does about the ticks that it cannot make.
 */
@FreshDatabase
class RefusedTicksTests extends AbstractTickerTests {

	RefusedTicksTests(DatabaseHandle database) {
		super(database);
	}

	@ParameterizedTest
	@ValueSource(strings = { "P0001", "23514", "22P02" })
	void aTickThatTheDatabaseRefusesKeepsNoOtherJobFromTicking(String state) {
		fresh(Hourly.class, Overlapping.class).runOnce();
		for (String refused : List.of("Hourly", "Overlapping")) {
			forgetJobs();
			this.database.jdbc().sql("""
					create or replace function refuse() returns trigger language plpgsql as $$
					begin
					    if new.name = '%s' then
					        raise 'not this one' using errcode = '%s';
					    end if;
					    return new;
					end $$
					""".formatted(refused, state)).update();
			this.database.jdbc()
				.sql("create trigger refuse before insert on gator_job for each row execute function refuse()")
				.update();
			try {
				this.clock.advance(Duration.ofHours(1));
				assertThatExceptionOfType(StoreException.class).as("somebody has to know")
					.isThrownBy(fresh(Hourly.class, Overlapping.class)::runOnce)
					.withMessageContaining("not this one");
				assertThat(List.of(jobs("Hourly"), jobs("Overlapping"))).containsExactlyInAnyOrder(0, 1);
				assertThat(jobs(refused)).isZero();
			}
			finally {
				this.database.jdbc().sql("drop function refuse cascade").update();
			}
			assertThat(fresh(Hourly.class, Overlapping.class).runOnce()).as("it was not lost").isOne();
		}
	}

	@Test
	void afterAnErrorTheScheduleIsAskedForASecondLater() {
		UpkeepStore failing = mock(UpkeepStore.class);
		given(failing.schedule(any())).willThrow(StoreExceptions.passing());
		RecurringTicker ticker = ticker(failing, Hourly.class);
		long time = System.nanoTime();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> ticker.runOnce(time));
		assertThat(ticker.runOnce(time + Duration.ofMillis(999).toNanos())).isZero();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> ticker.runOnce(time + Duration.ofSeconds(1).toNanos()));
		then(failing).should(times(2)).schedule(any());
	}

	@Test
	void whileAllFailsNoOtherTickIsTried() {
		fresh(Hourly.class, Overlapping.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		UpkeepStore failing = mock(UpkeepStore.class, delegatesTo(this.stores.upkeep()));
		willThrow(StoreExceptions.passing()).given(failing).tick(any());
		RecurringTicker ticker = ticker(failing, Hourly.class, Overlapping.class);
		assertThatExceptionOfType(StoreException.class).isThrownBy(ticker::runOnce);
		then(failing).should().tick(any());
	}

}
