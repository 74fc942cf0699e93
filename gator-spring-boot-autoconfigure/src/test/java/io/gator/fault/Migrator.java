package io.gator.fault;

import java.sql.SQLException;

import javax.sql.DataSource;

import io.gator.JobTemplate;
import io.gator.store.Migration;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What a process does that is to migrate at the same moment as others: it waits for them
 * before, and dispatches a job when it is up.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("gator.fault.migrator")
class Migrator implements ApplicationRunner {

	private final JobTemplate jobs;

	private final Journal journal;

	Migrator(JobTemplate jobs, Journal journal) {
		this.jobs = jobs;
		this.journal = journal;
	}

	@Bean
	static BeanPostProcessor together(ObjectProvider<Journal> journal) {
		return new BeanPostProcessor() {
			@Override
			public Object postProcessBeforeInitialization(Object bean, String name) {
				if (bean instanceof Migration migration) {
					try {
						StartSignal.await((DataSource) Internals.get(migration, "dataSource"));
					}
					catch (SQLException ex) {
						throw new IllegalStateException(ex);
					}
					journal.getObject().write("MIGRATING", 0);
				}
				return bean;
			}

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (bean instanceof Migration) {
					journal.getObject().write("MIGRATED", 0);
				}
				return bean;
			}
		};
	}

	@Override
	public void run(ApplicationArguments arguments) {
		int number = (int) ProcessHandle.current().pid();
		this.journal.write("DISPATCHED", this.jobs.dispatch(FaultWorker.Note.class, number), number);
	}

}
