package io.gator.dispatch;

import java.util.Map;
import java.util.stream.LongStream;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * P1 with the transactions of Hibernate, which takes and gives back connections in its
 * own way.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class JpaTransactionsTests {

	private final JobTable table;

	private final LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();

	private final EntityManagerFactory entities;

	private final TestDispatch setup = new TestDispatch(Work.class);

	private final Dispatcher jobs;

	private final TransactionTemplate transaction;

	private final DatabaseHandle database;

	private final DataSource pool;

	JpaTransactionsTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		this.pool = database.hikari(1);
		this.factory.setDataSource(this.pool);
		this.factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		this.factory.setManagedTypes(PersistenceManagedTypes.of(Lead.class.getName()));
		this.factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
		this.factory.afterPropertiesSet();
		this.entities = this.factory.getObject();
		this.transaction = new TransactionTemplate(new JpaTransactionManager(this.entities));
		this.jobs = this.setup.on(this.pool, TestDispatch.store(database.hikari(1)));
	}

	@AfterAll
	void close() {
		this.factory.destroy();
	}

	@BeforeEach
	void clear() {
		this.table.clear();
		this.setup.heard.clear();
	}

	@Test
	void anEntityAndItsJobCommitTogether() {
		this.transaction.executeWithoutResult((status) -> {
			entityManager().persist(new Lead(1));
			JdbcClient.create(this.pool).sql("select 1").query().singleRow();
			this.jobs.dispatch(Work.class, 1L);
			assertThat(this.table.count("gator_job")).isZero();
		});
		assertThat(this.table.count("gator_job")).isEqualTo(1);
		assertThat(this.table.count("lead where id = 1")).isEqualTo(1);
		assertThat(this.setup.heard).hasSize(1);
	}

	@Test
	void anEntityAndItsJobAreRolledBackTogether() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				entityManager().persist(new Lead(2));
				this.jobs.dispatch(Work.class, 2L);
				throw new IllegalStateException();
			}));
		assertThat(this.table.count("gator_job")).isZero();
		assertThat(this.table.count("lead where id = 2")).isZero();
		assertThat(this.setup.heard).isEmpty();
	}

	@Test
	void aDispatchFromAnAfterCommitCallbackIsNotLost() {
		this.transaction.executeWithoutResult((status) -> {
			entityManager().persist(new Lead(3));
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					JpaTransactionsTests.this.jobs.dispatch(Work.class, 3L);
					JpaTransactionsTests.this.jobs.dispatchMany(Work.class,
							LongStream.range(0, 2_000).boxed().toList());
				}

			});
		});
		assertThat(this.table.count("gator_job")).isEqualTo(2_001);
		assertThat(this.setup.heard).hasSize(1);
	}

	@Test
	void aTransactionOfEntitiesThatLieElsewhereIsRefusedAlsoIfGatorsDataSourceWasUsedInIt() {
		DataSource own = this.database.hikari(1);
		Dispatcher dispatcher = this.setup.on(own, TestDispatch.store(this.database.hikari(1)));
		this.transaction.executeWithoutResult((status) -> {
			entityManager().persist(new Lead(4));
			JdbcClient.create(own).sql("select 1").query().singleRow();
			assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> dispatcher.dispatch(Work.class, 4L))
				.withMessageContaining("does not include the DataSource");
		});
		assertThat(this.table.count("gator_job")).isZero();
	}

	private EntityManager entityManager() {
		return EntityManagerFactoryUtils.getTransactionalEntityManager(this.entities);
	}

	@Entity(name = "lead")
	static class Lead {

		@Id
		private long id;

		Lead() {
		}

		Lead(long id) {
			this.id = id;
		}

	}

	@Job
	static class Work {

		void handle(long lead) {
		}

	}

}
