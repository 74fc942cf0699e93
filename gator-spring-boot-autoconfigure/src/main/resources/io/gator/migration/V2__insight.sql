-- What the processes of a cluster tell each other for meters and the endpoint, so that the
-- tables are counted once in an interval and not once by every process and every scrape.
-- One row, 'cluster', holds the last count; one row for each process holds its rates.
create table "${flyway:defaultSchema}".gator_insight (
    key      text collate "C" primary key,
    taken_at timestamptz not null,
    facts    json        not null
) with (fillfactor = 50);

insert into "${flyway:defaultSchema}".gator_insight (key, taken_at, facts)
values ('cluster', '1970-01-01 00:00:00+00', '{}');
