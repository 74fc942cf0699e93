-- What a later version may do: add what need not be there.
alter table "${flyway:defaultSchema}".gator_job add column note text;
alter table "${flyway:defaultSchema}".gator_dead_job add column note text;
alter table "${flyway:defaultSchema}".gator_job_history add column note text;
alter table "${flyway:defaultSchema}".gator_worker add column note text;
alter table "${flyway:defaultSchema}".gator_queue add column note text;
create index gator_job_note on "${flyway:defaultSchema}".gator_job (note) where note is not null;
create table "${flyway:defaultSchema}".gator_note (id bigint primary key);
