package io.gator.autoconfigure;

import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.startup.StartupCheck;
import io.gator.startup.StartupFacts;
import io.gator.startup.StartupInspection;
import io.gator.store.GatorStores;
import io.gator.store.InsightStore;
import io.gator.worker.PoolSettings;
import io.gator.worker.WorkerPool;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The report and the checks at start-up.
 */
@AutoConfiguration(after = { GatorAutoConfiguration.class, GatorWorkerAutoConfiguration.class })
@ConditionalOnBean(GatorStores.class)
public final class GatorStartupAutoConfiguration {

	@Bean
	StartupInspection gatorStartupInspection(GatorEngine engine, Routes routes, ObjectProvider<WorkerPools> pools,
			DataSource dataSource, GatorProperties properties, Environment environment) {
		boolean off = properties.startupChecks() == GatorProperties.StartupChecks.OFF;
		return new StartupInspection(routes,
				() -> facts(engine, routes, settings(pools), dataSource, properties, environment, off),
				off ? List.of() : StartupCheck.all(), properties.startupChecks() == GatorProperties.StartupChecks.FAIL,
				WorkerLifecycle.PHASE - 1);
	}

	private static List<PoolSettings> settings(ObjectProvider<WorkerPools> pools) {
		WorkerPools all = pools.getIfAvailable();
		return (all != null) ? all.all().stream().map(WorkerPool::settings).toList() : List.of();
	}

	private static StartupFacts facts(GatorEngine engine, Routes routes, List<PoolSettings> pools,
			DataSource dataSource, GatorProperties properties, Environment environment, boolean off) {
		InsightStore store = engine.stores().insight();
		InsightStore.ServerFacts server = store.server();
		double ahead = System.currentTimeMillis() / 1000.0 - server.clock();
		return new StartupFacts(server,
				(off || pools.isEmpty() || routes.names().isEmpty()) ? List.of()
						: store.claimPlan(queues(routes), routes.names()),
				pools, routes.all().stream().anyMatch(Route::transactional), connections(dataSource),
				engine.connections().connections(), engine.connections().isPooled(),
				properties.worker().wakeUp() == GatorProperties.WakeUp.NOTIFY, SpringShutdown.of(environment).timeout(),
				Charset.defaultCharset(), Duration.ofMillis((long) (ahead * 1000)));
	}

	private static Set<String> queues(Routes routes) {
		return routes.all().stream().map(Route::queue).collect(Collectors.toSet());
	}

	private static int connections(DataSource dataSource) {
		HikariDataSource hikari = DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class,
				HikariDataSource.class);
		return (hikari != null) ? hikari.getMaximumPoolSize() : 0;
	}

}
