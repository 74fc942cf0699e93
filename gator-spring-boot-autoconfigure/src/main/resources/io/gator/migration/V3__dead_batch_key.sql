-- A dead item of a buffered job that is retried goes back into the batches of its key.
alter table "${flyway:defaultSchema}".gator_dead_job add column batch_key text collate "C";
