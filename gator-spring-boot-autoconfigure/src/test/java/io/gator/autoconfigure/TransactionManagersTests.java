package io.gator.autoconfigure;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In whose transactions transactional jobs run.
 */
class TransactionManagersTests {

	private final DataSource dataSource = new PGSimpleDataSource();

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	@Test
	void theManagerOfTheDataSourceIsTakenAmongSeveral() {
		add(new JdbcTransactionManager(new PGSimpleDataSource()));
		add(jpa(new PGSimpleDataSource()));
		add(silent());
		PlatformTransactionManager own = add(new JdbcTransactionManager(this.dataSource));
		assertThat(find()).isSameAs(own);
	}

	@Test
	void theManagerOfJpaIsKnownByItsDataSource() {
		add(silent());
		PlatformTransactionManager own = add(jpa(this.dataSource));
		assertThat(find()).isSameAs(own);
	}

	@Test
	void aManagerOfAWrappedDataSourceIsItsOwn() {
		PlatformTransactionManager own = add(
				new JdbcTransactionManager(new LazyConnectionDataSourceProxy(this.dataSource)));
		assertThat(find()).isSameAs(own);
	}

	@Test
	void theOnlyManagerIsRefusedIfItIsThatOfAnotherDataSource() {
		add(jpa(new PGSimpleDataSource()));
		assertThat(find()).isNull();
	}

	@Test
	void theOnlyManagerIsTakenIfItDoesNotTellWhatItManages() {
		PlatformTransactionManager silent = add(silent());
		assertThat(find()).isSameAs(silent);
	}

	@Test
	void ofTwoManagersOfTheDataSourceThePrimaryOneIsTaken() {
		add(new JdbcTransactionManager(this.dataSource));
		add(jpa(this.dataSource));
		assertThat(find()).isNull();
		PlatformTransactionManager primary = primary(new JdbcTransactionManager(this.dataSource));
		assertThat(find()).isSameAs(primary);
	}

	@Test
	void aPrimaryManagerOfSomethingElseIsNotTaken() {
		primary(silent());
		PlatformTransactionManager own = add(jpa(this.dataSource));
		assertThat(find()).isSameAs(own);
		add(new JdbcTransactionManager(this.dataSource));
		assertThat(find()).isNull();
	}

	private PlatformTransactionManager find() {
		return TransactionManagers.of(this.beans.getBeanProvider(PlatformTransactionManager.class), this.dataSource);
	}

	private PlatformTransactionManager add(PlatformTransactionManager manager) {
		this.beans.registerSingleton("manager" + this.beans.getSingletonCount(), manager);
		return manager;
	}

	private PlatformTransactionManager primary(PlatformTransactionManager manager) {
		RootBeanDefinition definition = new RootBeanDefinition(PlatformTransactionManager.class, () -> manager);
		definition.setPrimary(true);
		this.beans.registerBeanDefinition("primary", definition);
		return manager;
	}

	private static PlatformTransactionManager jpa(DataSource dataSource) {
		JpaTransactionManager manager = new JpaTransactionManager(Mockito.mock(EntityManagerFactory.class));
		manager.setDataSource(dataSource);
		return manager;
	}

	/** As that of Kafka, or of JTA. */
	private static PlatformTransactionManager silent() {
		return Mockito.mock(PlatformTransactionManager.class);
	}

}
