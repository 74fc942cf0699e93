package io.gator.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import io.gator.JobInterceptor;
import io.gator.JobListener;
import io.gator.maintenance.Heartbeat;
import io.gator.maintenance.HistoryPruner;
import io.gator.maintenance.QueueKeeper;
import io.gator.maintenance.RecurringTicker;
import io.gator.maintenance.Rescuer;
import io.gator.maintenance.Upkeep;
import io.gator.maintenance.Upkeep.Duty;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Routes;
import io.gator.store.GatorStores;
import io.gator.store.Notifications;
import io.gator.worker.AttemptObserver;
import io.gator.worker.NotificationListener;
import io.gator.worker.PoolSettings;
import io.gator.worker.TransactionalCalls;
import io.gator.worker.WorkerMetrics;
import io.gator.worker.WorkerPoolFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The beans of a process that runs jobs.
 */
@AutoConfiguration(after = GatorAutoConfiguration.class)
@ConditionalOnBean(value = GatorStores.class, search = SearchStrategy.CURRENT)
@Conditional(OnSwitch.WorkerEnabled.class)
public final class GatorWorkerAutoConfiguration {

	/**
	 * How old a snapshot has to be to put off pruning: longer than a statement of an
	 * application takes, and than most reports take.
	 */
	private static final Duration OLD_SNAPSHOT = Duration.ofMinutes(10);

	private static final String LISTENER = "gatorNotificationListener";

	@Bean
	WorkerPoolFactory gatorWorkerPoolFactory(GatorStores stores, Routes routes, ArgsCodec codec,
			ObjectProvider<JobInterceptor> interceptors, ObjectProvider<JobListener> listeners,
			ObjectProvider<AttemptObserver> observer, ObjectProvider<WorkerMetrics> metrics,
			ObjectProvider<PlatformTransactionManager> transactions, DataSource dataSource) {
		PlatformTransactionManager manager = TransactionManagers.of(transactions, dataSource);
		return new WorkerPoolFactory(stores.jobs(), stores.workers(), routes, codec,
				new WorkerPoolFactory.Hooks(interceptors.orderedStream().toList(), listeners.orderedStream().toList(),
						AttemptObserver.of(observer.orderedStream().toList())),
				(manager != null) ? new TransactionalCalls(manager, dataSource) : null,
				WorkerMetrics.of(metrics.orderedStream()));
	}

	@Bean
	WorkerPools gatorWorkerPools(WorkerPoolFactory factory, GatorProperties properties, Environment environment) {
		List<PoolSettings> settings = PoolSettingsFactory.create(properties.worker(),
				Threading.VIRTUAL.isActive(environment));
		SpringShutdown.of(environment).refuseLonger(settings);
		return new WorkerPools(settings.stream().map(factory::create).toList());
	}

	@Bean
	TransactionalJobsCheck gatorTransactionalJobsCheck(Routes routes,
			ObjectProvider<PlatformTransactionManager> transactions, DataSource dataSource) {
		return new TransactionalJobsCheck(routes, TransactionManagers.of(transactions, dataSource));
	}

	@Bean
	WorkerLifecycle gatorWorkerLifecycle(WorkerPools pools, Heartbeat heartbeat, Upkeep upkeep,
			ConfigurableApplicationContext context) {
		return new WorkerLifecycle(pools, heartbeat, upkeep, listener(context.getBeanFactory()),
				SpringShutdown.of(context.getEnvironment()).timeout(), context::isClosed);
	}

	@Bean
	Rescuer gatorRescuer(GatorStores stores, WorkerPools pools, Announcements announcements,
			ObjectProvider<WorkerMetrics> metrics) {
		WorkerMetrics all = WorkerMetrics.of(metrics.orderedStream());
		return new Rescuer(stores.workers(), pools::identities, (jobs) -> {
			all.rescued(jobs);
			announcements.workIn(List.of(Notifications.ANYWHERE));
		});
	}

	@Bean
	QueueKeeper gatorQueueKeeper(GatorStores stores, WorkerPools pools) {
		return new QueueKeeper(stores.workers(), pools::registerQueues);
	}

	@Bean
	HistoryPruner gatorHistoryPruner(GatorStores stores, GatorProperties properties) {
		return new HistoryPruner(stores.upkeep(), stores.insight(), properties.history().retention(), OLD_SNAPSHOT);
	}

	@Bean
	RecurringTicker gatorRecurringTicker(GatorStores stores, Routes routes, ArgsCodec codec,
			Announcements announcements, ObjectProvider<WorkerMetrics> metrics) {
		WorkerMetrics all = WorkerMetrics.of(metrics.orderedStream());
		return new RecurringTicker(stores.upkeep(), routes::all, codec, (name, queue) -> {
			all.dispatched(name, queue, 1);
			announcements.workIn(List.of(queue));
		});
	}

	@Bean
	Upkeep gatorUpkeep(RecurringTicker ticker, Rescuer rescuer, QueueKeeper queues, HistoryPruner pruner) {
		// The beats see which pools are gone and ask for the rescue of their jobs. The
		// thorough rescue reads the whole table, for jobs that should not be there at
		// all.
		return new Upkeep(List.of(Duty.quick(ticker::runOnce, Duration.ofMillis(100)),
				Duty.slow(pruner::runIfDue, Duration.ofSeconds(1)),
				Duty.slow(queues::registerMissing, Duration.ofMinutes(1)),
				Duty.slow(queues::forgetUnused, Duration.ofMinutes(10)),
				Duty.slow(rescuer::runThoroughly, Duration.ofMinutes(10))));
	}

	@Bean
	Heartbeat gatorHeartbeat(WorkerPools pools, Upkeep upkeep, Rescuer rescuer,
			ConfigurableListableBeanFactory beanFactory) {
		List<BooleanSupplier> beats = pools.all().stream().<BooleanSupplier>map((pool) -> pool::beat).toList();
		// A broken session of the listener means that sessions of other processes may
		// have broken, too. A process without a listener cannot tell.
		BooleanSupplier heard = () -> {
			NotificationListener own = listener(beanFactory);
			return own == null || !own.hasBroken(Heartbeat.STEADY);
		};
		return new Heartbeat(beats, pools.shortestHeartbeat(),
				(steady) -> upkeep.ask(() -> rescuer.runOnce(steady.getAsBoolean() && heard.getAsBoolean())));
	}

	@Bean(LISTENER)
	@Conditional(OnSwitch.Notifications.class)
	NotificationListener gatorNotificationListener(GatorStores stores, WorkerPools pools) {
		return new NotificationListener(stores.notifications(), pools.all(), pools.shortestHeartbeat());
	}

	/**
	 * The listener of this context, not of a parent: that must not be stopped with this
	 * context.
	 */
	private static @Nullable NotificationListener listener(ConfigurableListableBeanFactory beanFactory) {
		return beanFactory.containsLocalBean(LISTENER) ? beanFactory.getBean(LISTENER, NotificationListener.class)
				: null;
	}

}
