package io.gator.leads.imports;

import java.util.List;
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
	 * Imports that are through but not yet marked so. An import is through when of the
	 * jobs dispatched since it began none is left that runs, waits or will be tried
	 * again, and none that is due within a minute. Reminders of next month do not count.
	 * @return the imports, oldest first
	 */
	List<LeadImport> through() {
		return this.jdbc.sql("""
				select * from lead_import i
				 where finished_at is null
				   and not exists (select from gator_jobs j
				                    where j.created_at >= i.started_at
				                      and (j.state in ('WAITING', 'RUNNING', 'FAILED')
				                        or j.state = 'SCHEDULED' and j.due_at < now() + interval '1 minute'))
				 order by id""").query(LeadImport.class).list();
	}

	/**
	 * Mark an import as through.
	 * @param id the id of the import
	 * @return whether it was not marked before, by this process or another
	 */
	boolean finish(long id) {
		return this.jdbc.sql("update lead_import set finished_at = now() where id = ? and finished_at is null")
			.param(id)
			.update() == 1;
	}

}
