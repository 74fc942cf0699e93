package io.gator.worker;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobTemplate;
import io.gator.OnDead;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import io.gator.worker.TransactionalJobTests.Ends;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.TransactionCompletionCallbacks.AfterCompletionCallback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P6 with Hibernate, which does much of its work, and calls back, within the commit.
 */
@FreshDatabase
class JpaTransactionalJobTests {

	private final JobTable jobs;

	private final DatabaseHandle database;

	JpaTransactionalJobTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
		database.jdbc()
			.sql("create table if not exists payment (id bigint primary key, version bigint, note text)")
			.update();
	}

	@BeforeEach
	void forget() {
		Pays.compensated.clear();
	}

	private TestApplication start() {
		return TestApplication.start(this.database, List.of(Entities.class, Pays.class, Ends.class),
				"gator.worker.poll-interval=50ms");
	}

	private long payments() {
		return this.database.jdbc().sql("select count(*) from payment").query(Long.class).single();
	}

	@Test
	void aCallbackOfHibernatesThatFailsAfterTheCommitDoesNotMakeTheJobFail() {
		Pays.last = (entities) -> entities.unwrap(SharedSessionContractImplementor.class)
			.getTransactionCompletionCallbacks()
			.registerCallback((AfterCompletionCallback) (committed, session) -> {
				throw new IllegalStateException("after the commit");
			});
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).dispatch(Pays.class);
			Ends ends = application.bean(Ends.class);
			await().untilAsserted(() -> assertThat(ends.heard).isNotEmpty());
			assertThat(ends.heard).containsExactly("succeeded " + id);
			assertThat(this.jobs.states(id)).containsExactly("SUCCEEDED");
			assertThat(Pays.compensated).isEmpty();
		}
	}

	@Test
	void anEntityThatOthersHaveChangedMakesTheJobFailWithTheCommit() {
		Pays.last = (entities) -> {
			entities.flush();
			entities.createNativeQuery("update payment set version = version + 1").executeUpdate();
			entities.find(Payment.class, entities.createQuery("select max(p.id) from payment p", Long.class)
				.getSingleResult()).note = "changed";
		};
		long before = payments();
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).dispatch(Pays.class);
			assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("OptimisticLock");
			assertThat(Pays.compensated).containsExactly(id);
			assertThat(payments()).isEqualTo(before);
		}
	}

	@Job(transactional = true)
	static class Pays {

		static final Queue<Long> compensated = new ConcurrentLinkedQueue<>();

		static volatile Step last = (entities) -> {
		};

		private final EntityManager entities;

		Pays(EntityManager entities) {
			this.entities = entities;
		}

		void handle(JobContext context) {
			this.entities.persist(new Payment(context.id()));
			last.take(this.entities);
		}

		@OnDead
		void compensate(JobContext context) {
			compensated.add(context.id());
		}

	}

	@FunctionalInterface
	interface Step {

		void take(EntityManager entities);

	}

	@Entity(name = "payment")
	static class Payment {

		@Id
		private long id;

		@Version
		private long version;

		private String note = "";

		Payment() {
		}

		Payment(long id) {
			this.id = id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Entities {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setManagedTypes(PersistenceManagedTypes.of(Payment.class.getName()));
			return factory;
		}

		@Bean
		EntityManager entities(EntityManagerFactory factory) {
			return SharedEntityManagerCreator.createSharedEntityManager(factory);
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

	}

}
