package io.gator.leads.imports;

import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The imports on record.
 */
@Repository
class LeadImports {

	private final JdbcClient jdbc;

	LeadImports(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	long add(String source, LeadFile file) {
		return this.jdbc.sql("insert into lead_import (source, imported, malformed) values (?, ?, ?) returning id")
			.params(source, file.leads().size(), file.malformed().size())
			.query(Long.class)
			.single();
	}

	Optional<LeadImport> find(long id) {
		return this.jdbc.sql("select * from lead_import where id = ?").param(id).query(LeadImport.class).optional();
	}

	/**
	 * Mark an import as through, if it is. That is so when of the jobs dispatched since
	 * it began none is left that runs, waits or will be tried again, and none that is due
	 * within a minute. Reminders of next month do not count, nor do recurring jobs.
	 * @param id the id of the import
	 * @return the import, if it is through
	 */
	Optional<LeadImport> finish(long id) {
		return this.jdbc.sql("""
				update lead_import set finished_at = now()
				 where id = ?
				   and not exists (select from gator_jobs job
				                    where job.created_at >= started_at
				                      and job.name not in (select name from gator_recurring)
				                      and (job.state in ('WAITING', 'RUNNING', 'FAILED')
				                        or job.state = 'SCHEDULED' and job.due_at < now() + interval '1 minute'))
				returning *""").param(id).query(LeadImport.class).optional();
	}

}
