package io.gator.leads.signup;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The plans that one can sign up for. Each has so many places.
 */
@Repository
class Plans {

	private final JdbcClient jdbc;

	Plans(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * By one statement, so that no two sign-ups get the last place.
	 * @param plan the name of the plan
	 * @throws NoPlaceLeftException if there is none, or no such plan
	 */
	void takePlace(String plan) {
		int taken = this.jdbc.sql("update plan set places = places - 1 where name = ? and places > 0")
			.param(plan)
			.update();
		if (taken == 0) {
			throw new NoPlaceLeftException(plan);
		}
	}

}
