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
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The report and the checks at start-up.
 */
@AutoConfiguration(after = { GatorAutoConfiguration.class, GatorWorkerAutoConfiguration.class })
@ConditionalOnBean(value = GatorStores.class, search = SearchStrategy.CURRENT)
public final class GatorStartupAutoConfiguration {

	@Bean
	StartupInspection gatorStartupInspection(GatorEngine engine, Routes routes, ObjectProvider<WorkerPools> pools,
			DataSource dataSource, GatorProperties properties, Environment environment) {
		GatorProperties.StartupChecks checks = properties.startupChecks();
		return new StartupInspection(routes,
				() -> facts(engine, routes, settings(pools), dataSource, properties, environment),
				(checks == GatorProperties.StartupChecks.OFF) ? List.of() : StartupCheck.all(),
				checks == GatorProperties.StartupChecks.FAIL, WorkerLifecycle.PHASE - 1);
	}

	private static List<PoolSettings> settings(ObjectProvider<WorkerPools> pools) {
		WorkerPools all = pools.getIfAvailable();
		return (all != null) ? all.all().stream().map(WorkerPool::settings).toList() : List.of();
	}

	private static StartupFacts facts(GatorEngine engine, Routes routes, List<PoolSettings> pools,
			DataSource dataSource, GatorProperties properties, Environment environment) {
		InsightStore store = engine.stores().insight();
		InsightStore.ServerFacts server = store.server();
		double ahead = System.currentTimeMillis() / 1000.0 - server.clock();
		return new StartupFacts(server, claimPlan(store, routes, pools, properties.startupChecks()), pools,
				routes.all().stream().anyMatch(Route::transactional), connections(dataSource),
				engine.dataSource().connections(), engine.dataSource().isBehindPooler(),
				properties.worker().wakeUp() == GatorProperties.WakeUp.NOTIFY, SpringShutdown.of(environment).timeout(),
				Charset.defaultCharset(), Duration.ofMillis((long) (ahead * 1000)));
	}

	private static List<String> claimPlan(InsightStore store, Routes routes, List<PoolSettings> pools,
			GatorProperties.StartupChecks checks) {
		if (checks == GatorProperties.StartupChecks.OFF || pools.isEmpty() || routes.names().isEmpty()) {
			return List.of();
		}
		return store.claimPlan(queues(routes), routes.names());
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
