package io.gator.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.gator.autoconfigure.GatorAutoConfiguration;
import io.gator.autoconfigure.GatorWorkerAutoConfiguration;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * A small application on a test database, as a user of the starter would have it:
 * auto-configuration, some beans, some properties.
 */
public final class TestApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private TestApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start an application.
	 * @param database its database
	 * @param beans its beans
	 * @param properties more properties, as {@code name=value}
	 * @return the running application
	 */
	public static TestApplication start(DatabaseHandle database, List<Class<?>> beans, String... properties) {
		List<Class<?>> sources = new ArrayList<>(beans);
		sources.add(AutoConfiguration.class);
		List<String> all = new ArrayList<>(Arrays.asList(database.springProperties()));
		all.add("spring.main.banner-mode=off");
		all.add("spring.flyway.enabled=false");
		all.add("spring.liquibase.enabled=false");
		all.add("gator.worker.shutdown-timeout=5s");
		// Ten sessions take the server a fifth of a second, and most tests need one.
		all.add("spring.datasource.hikari.minimum-idle=1");
		if (Boolean.getBoolean("gator.test.virtual-threads")) {
			all.add("spring.threads.virtual.enabled=true");
		}
		all.addAll(Arrays.asList(properties));
		return new TestApplication(
				new SpringApplicationBuilder(sources.toArray(Class<?>[]::new)).web(WebApplicationType.NONE)
					.properties(all.toArray(String[]::new))
					.run());
	}

	/**
	 * A bean of the application.
	 * @param <T> its type
	 * @param type its type
	 * @return the bean
	 */
	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * The threads of this JVM that live.
	 * @param prefixes what their names begin with, one of these
	 * @return their names
	 */
	public static List<String> threads(String... prefixes) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter(Thread::isAlive)
			.map(Thread::getName)
			.filter((name) -> Arrays.stream(prefixes).anyMatch(name::startsWith))
			.toList();
	}

	public ConfigurableApplicationContext context() {
		return this.context;
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** Only what Gator needs: the test class path holds far more. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, AopAutoConfiguration.class,
			GatorAutoConfiguration.class, GatorWorkerAutoConfiguration.class })
	static class AutoConfiguration {

	}

}
