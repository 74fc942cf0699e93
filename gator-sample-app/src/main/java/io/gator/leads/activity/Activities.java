package io.gator.leads.activity;

import java.util.Collection;
import java.util.List;

import io.gator.JobTemplate;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * What was done about leads.
 */
@Repository
public class Activities {

	private final JdbcClient jdbc;

	private final JobTemplate jobs;

	Activities(JdbcClient jdbc, JobTemplate jobs) {
		this.jdbc = jdbc;
		this.jobs = jobs;
	}

	/**
	 * Record that something was done. The marketing service hears of it later, together
	 * with much else; that it will is certain as soon as this has committed.
	 * @param leadId the id of the lead
	 * @param kind what was done
	 */
	@Transactional
	public void record(long leadId, String kind) {
		ContactActivity activity = this.jdbc
			.sql("insert into activity (lead_id, kind) values (?, ?) returning id, lead_id, kind, at")
			.params(leadId, kind)
			.query(ContactActivity.class)
			.single();
		this.jobs.dispatch(SyncActivities.class, activity);
	}

	public List<String> of(long leadId) {
		return this.jdbc.sql("select kind from activity where lead_id = ? order by id")
			.param(leadId)
			.query(String.class)
			.list();
	}

	void markRefused(Collection<ContactActivity> activities) {
		this.jdbc.sql("update activity set refused = true where id in (:ids)")
			.param("ids", activities.stream().map(ContactActivity::id).toList())
			.update();
	}

}
