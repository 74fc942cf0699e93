package io.gator.autoconfigure;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import javax.sql.DataSource;

import io.gator.GatorJsonCustomizer;
import io.gator.JobAdmin;
import io.gator.JobListener;
import io.gator.JobPools;
import io.gator.JobTemplate;
import io.gator.admin.StoreJobAdmin;
import io.gator.dispatch.DispatchHook;
import io.gator.dispatch.DispatchObserver;
import io.gator.dispatch.Dispatched;
import io.gator.dispatch.Dispatcher;
import io.gator.metrics.BoundedNames;
import io.gator.routing.ArgsCodec;
import io.gator.routing.RetryDefaults;
import io.gator.routing.Routes;
import io.gator.store.DescribedDataSource;
import io.gator.store.EngineDataSource;
import io.gator.store.GatorStores;
import io.gator.store.Migration;
import io.gator.worker.LocalPools;
import io.gator.worker.Notifier;
import io.gator.worker.WorkerMetrics;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The beans of every process that uses Gator, whether it runs jobs or only dispatches
 * them: the tables, the stores, the routes. A child context gets its own beans, with
 * pools and health, because the parent's routes do not know its jobs; meters and endpoint
 * stay the parent's.
 */
@AutoConfiguration(after = { DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class })
@ConditionalOnClass({ DataSource.class, org.postgresql.Driver.class })
@ConditionalOnSingleCandidate(DataSource.class)
@Conditional(OnSwitch.Enabled.class)
@EnableConfigurationProperties(GatorProperties.class)
public final class GatorAutoConfiguration {

	/**
	 * How many connections serve beats, listening, both threads of the upkeep,
	 * notifications, figures and the admin: not all of these need one at once.
	 */
	private static final int SHARED_CONNECTIONS = 4;

	/** How many connections each pool adds, for claims and settlements. */
	private static final int CONNECTIONS_EACH_POOL = 2;

	@Bean
	static QueueNames gatorQueueNames(Environment environment) {
		return new QueueNames(environment);
	}

	@Bean
	static PoolKeys gatorPoolKeys() {
		return new PoolKeys();
	}

	@Bean
	Migration gatorMigration(DataSource dataSource, ObjectProvider<JdbcConnectionDetails> details,
			GatorProperties properties) {
		return new Migration(described(dataSource, details), properties.schema(), properties.migrate());
	}

	@Bean(destroyMethod = "close")
	GatorEngine gatorEngine(DataSource dataSource, ObjectProvider<JdbcConnectionDetails> details,
			GatorProperties properties, Migration migration) {
		GatorProperties.Worker worker = properties.worker();
		int pools = worker.enabled() ? 1 + worker.pools().size() : 0;
		EngineDataSource engine = EngineDataSource.derive(described(dataSource, details),
				SHARED_CONNECTIONS + CONNECTIONS_EACH_POOL * pools, properties.statementTimeout());
		GatorStores stores = GatorStores.open(engine, properties.schema(), properties.statementTimeout(),
				!properties.history().retention().isZero());
		return new GatorEngine(engine, stores);
	}

	private static DataSource described(DataSource dataSource, ObjectProvider<JdbcConnectionDetails> details) {
		return new DescribedDataSource(dataSource, details.orderedStream().toList());
	}

	// One for all meters and observations, so that they name the same queues.
	@Bean
	@ConditionalOnMissingBean
	BoundedNames gatorBoundedQueues(GatorProperties properties) {
		return new BoundedNames(properties.insight().maxQueues(), properties.worker().weights().keySet());
	}

	@Bean
	GatorStores gatorStores(GatorEngine engine) {
		return engine.stores();
	}

	@Bean
	ArgsCodec gatorArgsCodec(ObjectProvider<GatorJsonCustomizer> customizers, GatorProperties properties) {
		List<GatorJsonCustomizer> ordered = customizers.orderedStream().toList();
		return new ArgsCodec(ordered, (int) properties.maxPayload().toBytes());
	}

	@Bean
	Notifier gatorNotifier(GatorStores stores) {
		return new Notifier(stores.jobs());
	}

	@Bean
	Announcements gatorAnnouncements(ObjectProvider<WorkerPools> pools, ObjectProvider<Notifier> notifier) {
		return new Announcements(pools, notifier);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	JobAdmin gatorJobAdmin(GatorStores stores, ArgsCodec codec, Announcements announcements) {
		return new StoreJobAdmin(stores.admin(), codec, announcements::workIn, announcements::changed);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	JobPools gatorJobPools(ObjectProvider<WorkerPools> pools) {
		return new LocalPools(() -> WorkerPools.allOf(pools));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	JobTemplate jobTemplate(DataSource dataSource, GatorStores stores, Routes routes, ArgsCodec codec,
			Announcements announcements, ObjectProvider<WorkerMetrics> metrics, ObjectProvider<JobListener> listeners,
			ObjectProvider<DispatchObserver> observer, ObjectProvider<PlatformTransactionManager> transactions) {
		List<DispatchHook> hooks = List.of(counting(WorkerMetrics.of(metrics.orderedStream())),
				(dispatched) -> announcements.workIn(queues(dispatched)));
		// The dispatcher is not a bean, so that the template is the only bean of type
		// JobOperations to inject.
		return new JobTemplate(new Dispatcher(dataSource, () -> TransactionManagers.of(transactions, dataSource),
				stores.dispatch(), routes, codec, hooks, () -> listeners.orderedStream().iterator(),
				DispatchObserver.of(observer.orderedStream().toList())));
	}

	private static DispatchHook counting(WorkerMetrics metrics) {
		return (dispatched) -> dispatched
			.forEach((each) -> metrics.dispatched(each.name(), each.queue(), each.count()));
	}

	private static Set<String> queues(List<Dispatched> dispatched) {
		Set<String> queues = new HashSet<>();
		dispatched.forEach((each) -> queues.add(each.queue()));
		return queues;
	}

	@Bean
	Routes gatorRoutes(ConfigurableListableBeanFactory beanFactory, Environment environment, ArgsCodec codec,
			GatorProperties properties) {
		return Routes.of(beanFactory, environment, codec,
				new RetryDefaults(properties.retry().interval(), properties.retry().maxRetries()));
	}

}
