package io.gator.test;

import java.util.Map;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Leads to one database at the moment, and may lead to others, as far as anybody can see.
 */
public final class RoutingDataSource extends AbstractRoutingDataSource {

	private static final String KEY = "one";

	public RoutingDataSource(DataSource target) {
		setTargetDataSources(Map.of(KEY, target));
		afterPropertiesSet();
	}

	@Override
	protected Object determineCurrentLookupKey() {
		return KEY;
	}

}
