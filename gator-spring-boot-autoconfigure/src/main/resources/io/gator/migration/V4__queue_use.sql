-- When a process last said that it dispatches to the queue, or serves it by name. A name
-- that nobody uses is forgotten: pools that serve all queues look into each of them.
alter table "${flyway:defaultSchema}".gator_queue add column used_at timestamptz not null default now();
