package io.gator.store;

import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the driver is told for the engine's connections, and what of the application's
 * configuration stays. What comes of it is the business of {@link EngineDataSourceTests}.
 */
class EngineConfigTests {

	private final HikariConfig config = new HikariConfig();

	@Test
	void theDriverNoticesAServerThatIsGone() {
		PGSimpleDataSource driver = adapt(false);
		assertThat(driver.getTcpKeepAlive()).isTrue();
		assertThat(driver.getConnectTimeout()).isEqualTo(3);
		assertThat(driver.getSocketTimeout()).as("later than the server").isEqualTo(15);
		assertThat(driver.getApplicationName()).isEqualTo("gator");
	}

	@Test
	void theConnectionPoolStartsWithoutAServerAndDoesNotWaitLongForOneThatHangs() {
		adapt(false);
		assertThat(this.config.getInitializationFailTimeout()).isNegative();
		assertThat(this.config.getValidationTimeout()).isEqualTo(2_000);
		assertThat(this.config.getMaximumPoolSize()).isEqualTo(3);
	}

	@Test
	void socketsAreTheEnginesUnlessTheApplicationHasItsOwn() {
		assertThat(adapt(false).getSocketFactory()).isEqualTo(PromptSocketFactory.class.getName());
		this.config.addDataSourceProperty("socketFactory", "com.example.Tunnel");
		assertThat(adapt(false).getSocketFactory()).isEqualTo("com.example.Tunnel");
	}

	@ParameterizedTest
	@CsvSource({ "any, any", "preferPrimary, primary", "secondary, secondary" })
	void aServerThatIsOnlyPreferredIsRequired(String applications, String engines) {
		this.config.addDataSourceProperty("targetServerType", applications);
		assertThat(adapt(false).getTargetServerType()).isEqualTo(engines);
	}

	@Test
	void behindAPoolerTheDriverIsInItsDefaultModeAndElseInTheApplications() {
		this.config.addDataSourceProperty("prepareThreshold", "-1");
		assertThat(adapt(false).getPrepareThreshold()).isEqualTo(-1);
		assertThat(adapt(true).getPrepareThreshold()).isEqualTo(new PGSimpleDataSource().getPrepareThreshold());
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " " })
	void whereTheApplicationSetsNothingSessionsBeginWithTheEnginesSettings(String sql) {
		this.config.setConnectionInitSql(sql);
		adapt(false);
		assertThat(this.config.getConnectionInitSql()).startsWith("select pg_catalog.set_config(");
	}

	private PGSimpleDataSource adapt(boolean pooled) {
		// The configuration takes a driver by its class or as an object, not both.
		this.config.setDataSource(null);
		this.config.setDataSourceClassName(PGSimpleDataSource.class.getName());
		EngineConfig.adapt(this.config, 3, Duration.ofSeconds(10), pooled);
		return (PGSimpleDataSource) this.config.getDataSource();
	}

}
