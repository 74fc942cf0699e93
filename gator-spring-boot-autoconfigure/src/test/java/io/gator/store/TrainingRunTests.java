package io.gator.store;

import java.time.Duration;

import javax.sql.DataSource;

import io.gator.test.BehindPooler;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.SpringProperties;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@FreshDatabase
class TrainingRunTests {

	private final DriverManagerDataSource away = new DriverManagerDataSource("jdbc:postgresql://localhost:1/none");

	private final DatabaseHandle database;

	TrainingRunTests(DatabaseHandle database) {
		this.database = database;
	}

	/**
	 * Spring has read the property before it is set, and does not end this JVM.
	 */
	@BeforeEach
	void begin() {
		assertThat(new DefaultLifecycleProcessor().isRunning()).isFalse();
		SpringProperties.setProperty(DefaultLifecycleProcessor.EXIT_PROPERTY_NAME,
				DefaultLifecycleProcessor.ON_REFRESH_VALUE);
	}

	@AfterEach
	void end() {
		SpringProperties.setProperty(DefaultLifecycleProcessor.EXIT_PROPERTY_NAME, null);
	}

	@Test
	void withoutAMigrationItNeedsNoDatabase() {
		new Migration(this.away, "public", false).afterPropertiesSet();
		try (EngineDataSource engine = derive(this.away)) {
			assertThat(engine.isBehindPooler()).isFalse();
		}
	}

	@Test
	void withAMigrationItNeedsOne() {
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> new Migration(this.away, "public", true).afterPropertiesSet())
			.withMessageContaining("localhost:1 refused");
		new Migration(this.database.hikari(1), "trained", true).afterPropertiesSet();
		assertThat(this.database.jdbc()
			.sql("select to_regclass('trained.gator_job') is not null")
			.query(Boolean.class)
			.single()).isTrue();
	}

	@Test
	void anyOtherRunNeedsOneAsWell() {
		end();
		Migration migration = new Migration(this.away, "public", false);
		assertThatExceptionOfType(StoreException.class).isThrownBy(migration::afterPropertiesSet)
			.withMessageContaining("localhost:1 refused");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> derive(this.away).close())
			.withMessageContaining("localhost:1 refused");
		try (EngineDataSource engine = derive(new BehindPooler(this.database.hikari(1)))) {
			assertThat(engine.isBehindPooler()).isTrue();
		}
	}

	private static EngineDataSource derive(DataSource application) {
		return EngineDataSource.derive(application, 1, Duration.ofSeconds(10));
	}

}
