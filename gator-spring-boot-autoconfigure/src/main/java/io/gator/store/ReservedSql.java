package io.gator.store;

/**
 * The statements that read the table of jobs by ranges of pages.
 */
final class ReservedSql {

	final String heldBy;

	final String forgottenHolders;

	ReservedSql(Sql sql) {
		this.heldBy = sql.of("""
				select j.id
				  from {schema}.gator_job j
				 where j.ctid >= ?::tid
				   and j.ctid < ?::tid
				   and j.reserved_by = any(?::bigint[])
				""");
		// Finds the jobs of a claim that reached the server after its pool was forgotten:
		// the pool was frozen, or cut off, just before the claim.
		this.forgottenHolders = sql.of("""
				select distinct j.reserved_by
				  from {schema}.gator_job j
				 where j.ctid >= ?::tid
				   and j.ctid < ?::tid
				   and j.reserved_by is not null
				   and not exists (select 1 from {schema}.gator_worker w where w.id = j.reserved_by)
				""");
	}

}
