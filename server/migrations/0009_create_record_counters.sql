-- Counters of records: sums that screens read instead of counting records. A counter is its rollup table plus what
-- record_tally_packs has not given to it yet, so it is exact at every moment. In all tables 0 stands for "no client" or "no
-- range", so that the keys contain no nulls.

-- A transaction that stores or changes records adds its sums here, insert-only, so that writers never wait for each other;
-- a job in the background moves them into the rollups below. All sums of one transaction are one row: a row for each sum
-- would cost ingest and that job several times as much.
create table record_tally_packs (
  cycle_id int not null,
  -- Hours since 1970.
  hours int[] not null,
  client_ids int[] not null,
  range_ids int[] not null,
  gateway_ids int[] not null,
  -- Settlement * 8 + status.
  kinds int[] not null,
  record_counts int[] not null,
  bills_micro bigint[] not null,
  amounts_micro bigint[] not null
)
-- Rows live for a second: compressing them is not worth it, up to 8 kB they stay in the row instead of beside it, and the
-- job vacuums after itself.
with (autovacuum_enabled = off, toast.autovacuum_enabled = off, toast_tuple_target = 8160);
alter table record_tally_packs
  alter hours set storage external, alter client_ids set storage external, alter range_ids set storage external,
  alter gateway_ids set storage external, alter kinds set storage external, alter record_counts set storage external,
  alter bills_micro set storage external, alter amounts_micro set storage external;

-- The same sums, one a row.
create view record_tallies as
  select to_timestamp(hour * 3600.0) as hour, client_id, range_id, gateway_id, cycle_id,
    (kind / 8)::smallint as settlement, (kind % 8)::smallint as status, record_count, bill_micro, amount_micro
  from record_tally_packs, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro,
    amounts_micro) as packed (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro);

-- Rows of record_tally_packs come and go with each batch, and the job that empties the table vacuums it. Before PostgreSQL
-- 17 only its owner may do that.
create function let_vacuum_tallies(application text) returns void language plpgsql as $$
begin
  if current_setting('server_version_num')::int >= 170000 then
    if not has_table_privilege(application, 'record_tally_packs', 'MAINTAIN') then
      execute format('grant maintain on record_tally_packs to %I', application);
    end if;
  elsif pg_has_role(application, 'MEMBER')
    and not pg_has_role(application, (select relowner from pg_class where oid = 'record_tally_packs'::regclass), 'USAGE') then
    execute format('grant create on schema %I to %I', current_schema(), application);
    execute format('alter table record_tally_packs owner to %I', application);
    execute format('revoke create on schema %I from %I', current_schema(), application);
  end if;
end $$;

-- By day, client and range.
create table record_days (
  day date not null,
  client_id int not null,
  range_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, client_id, range_id, status)
) with (fillfactor = 70);
create index record_days_client_idx on record_days (client_id, day);
create index record_days_range_idx on record_days (range_id, status, day);
create index record_days_open_idx on record_days (status, client_id) where status <> 2;

-- By day and gateway.
create table record_gateway_days (
  day date not null,
  gateway_id int not null,
  client_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, gateway_id, client_id, status)
) with (fillfactor = 70);

-- By hour, kept for the last weeks only: the dashboard's hours and the week strip.
create table record_hours (
  hour timestamptz not null,
  client_id int not null,
  status smallint not null,
  record_count bigint not null,
  amount_micro bigint not null,
  primary key (hour, client_id, status)
) with (fillfactor = 70);

-- Everything there ever was: a few rows for each client.
create table record_totals (
  client_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (client_id, status)
) with (fillfactor = 50);

-- What each client earned in each cycle, by kind of settlement.
create table record_cycles (
  cycle_id int not null,
  client_id int not null,
  settlement smallint not null,
  record_count bigint not null,
  amount_micro bigint not null,
  primary key (cycle_id, client_id, settlement)
) with (fillfactor = 70);

-- The tables below are kept by triggers on those above, whoever writes to them; one worker at a time does.

-- The hours of all clients together.
create table record_hour_totals (
  hour timestamptz not null,
  status smallint not null,
  record_count bigint not null,
  primary key (hour, status)
) with (fillfactor = 50);

create function add_hour_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into record_hour_totals as kept
    select hour, status, sum(record_count) from added group by 1, 2
    on conflict (hour, status) do update set record_count = kept.record_count + excluded.record_count;
  else
    insert into record_hour_totals as kept
    select hour, status, sum(record_count) from (
      select hour, status, record_count from added union all select hour, status, -record_count from taken
    ) c group by 1, 2
    on conflict (hour, status) do update set record_count = kept.record_count + excluded.record_count;
  end if;
  return null;
end $$;
create trigger record_hours_inserted after insert on record_hours
  referencing new table as added for each statement execute function add_hour_totals();
create trigger record_hours_updated after update on record_hours
  referencing old table as taken new table as added for each statement execute function add_hour_totals();

-- The days of all clients and ranges together: a report over all traffic reads some hundred rows instead of tens of
-- thousands.
create table record_day_totals (
  day date not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, status)
) with (fillfactor = 50);

-- The days of each client over all ranges: for a month by client, and for the days on which a client has open records.
create table record_client_days (
  day date not null,
  client_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, client_id, status)
) with (fillfactor = 70);
create index record_client_days_client_idx on record_client_days (client_id, day);

create function add_day_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    with sums as materialized (
      select day, client_id, status, sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
        sum(amount_micro)::bigint as amount_micro
      from added group by 1, 2, 3
    ),
    client_days as (
      insert into record_client_days as kept select * from sums
      on conflict (day, client_id, status) do update set record_count = kept.record_count + excluded.record_count,
        bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro
    )
    insert into record_day_totals as kept
    select day, status, sum(record_count), sum(bill_micro), sum(amount_micro) from sums group by 1, 2
    on conflict (day, status) do update set record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro;
  else
    with sums as materialized (
      select day, client_id, status, sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
        sum(amount_micro)::bigint as amount_micro
      from (
        select day, client_id, status, record_count, bill_micro, amount_micro from added
        union all select day, client_id, status, -record_count, -bill_micro, -amount_micro from taken
      ) c group by 1, 2, 3
    ),
    client_days as (
      insert into record_client_days as kept select * from sums
      on conflict (day, client_id, status) do update set record_count = kept.record_count + excluded.record_count,
        bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro
    )
    insert into record_day_totals as kept
    select day, status, sum(record_count), sum(bill_micro), sum(amount_micro) from sums group by 1, 2
    on conflict (day, status) do update set record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro;
  end if;
  return null;
end $$;
create trigger record_days_inserted after insert on record_days
  referencing new table as added for each statement execute function add_day_totals();
create trigger record_days_updated after update on record_days
  referencing old table as taken new table as added for each statement execute function add_day_totals();

-- A table that is emptied has no days left.
create function empty_day_totals() returns trigger language plpgsql as $$
begin
  truncate record_day_totals, record_client_days;
  return null;
end $$;
create trigger record_days_emptied after truncate on record_days
  for each statement execute function empty_day_totals();

-- Records by the hour in which they were stored, and by where they came from or the range that they belong to. A change of
-- a record's status adds nothing: it takes away as much as it adds.
create table traffic_hours (
  hour timestamptz not null,
  kind text not null check (kind in ('gateway', 'range')),
  item_id int not null,
  record_count bigint not null,
  primary key (hour, kind, item_id)
) with (fillfactor = 70);

create function add_traffic_hours() returns trigger language plpgsql as $$
declare
  kind text := tg_argv[0];
  item text := tg_argv[1];
begin
  if tg_op = 'INSERT' then
    execute format('
      insert into traffic_hours as kept
      select date_trunc(''hour'', clock_timestamp(), ''UTC''), %L, coalesce(%I, 0), sum(record_count) from added
      group by 3 having sum(record_count) <> 0
      on conflict (hour, kind, item_id) do update set record_count = kept.record_count + excluded.record_count',
      kind, item);
  else
    execute format('
      insert into traffic_hours as kept
      select date_trunc(''hour'', clock_timestamp(), ''UTC''), %L, coalesce(%I, 0), sum(record_count) from (
        select %I, record_count from added union all select %I, -record_count from taken
      ) c group by 3 having sum(record_count) <> 0
      on conflict (hour, kind, item_id) do update set record_count = kept.record_count + excluded.record_count',
      kind, item, item, item);
  end if;
  return null;
end $$;
create trigger record_gateway_days_inserted after insert on record_gateway_days
  referencing new table as added for each statement execute function add_traffic_hours('gateway', 'gateway_id');
create trigger record_gateway_days_updated after update on record_gateway_days
  referencing old table as taken new table as added
  for each statement execute function add_traffic_hours('gateway', 'gateway_id');
create trigger record_days_ranges_inserted after insert on record_days
  referencing new table as added for each statement execute function add_traffic_hours('range', 'range_id');
create trigger record_days_ranges_updated after update on record_days
  referencing old table as taken new table as added
  for each statement execute function add_traffic_hours('range', 'range_id');

-- What Analytics adds up where no counter by day has it: hours, and range and supplier together.

-- Records by the hour and everything that the counter buffers tell apart. A job moves hours older than two weeks into the
-- days below.
create table record_part_hours (
  hour timestamptz not null,
  client_id int not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (hour, client_id, range_id, gateway_id, status)
) with (fillfactor = 70);

create table record_part_days (
  day date not null,
  client_id int not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, client_id, range_id, gateway_id, status)
);

-- Sums of all clients by hour, range and gateway: what staff ask by range and supplier together reads a row for each of
-- these instead of one for each client.
create table record_part_hour_totals (
  hour timestamptz not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (hour, range_id, gateway_id, status)
) with (fillfactor = 70);

create table record_part_day_totals (
  day date not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, range_id, gateway_id, status)
);

-- The deletion of buffers counts their sums.
create function count_parts() returns trigger language plpgsql as $$
begin
  with parts as materialized (
    select to_timestamp(hour * 3600.0) as hour, client_id, range_id, gateway_id, kind % 8 as status,
      sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
      sum(amount_micro)::bigint as amount_micro
    from folded, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro, amounts_micro)
      as packed (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro)
    group by 1, 2, 3, 4, 5
  ),
  totals as (
    insert into record_part_hour_totals as kept
    select hour, range_id, gateway_id, status, sum(record_count), sum(bill_micro), sum(amount_micro)
    from parts group by 1, 2, 3, 4
    on conflict (hour, range_id, gateway_id, status) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro
  )
  insert into record_part_hours as kept
  select hour, client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro from parts
  on conflict (hour, client_id, range_id, gateway_id, status) do update set
    record_count = kept.record_count + excluded.record_count,
    bill_micro = kept.bill_micro + excluded.bill_micro,
    amount_micro = kept.amount_micro + excluded.amount_micro;
  return null;
end $$;
create trigger record_tally_packs_folded after delete on record_tally_packs
  referencing old table as folded for each statement execute function count_parts();

-- Records by day and number. A follower of the log keeps it: the counter buffers know no numbers. Without states, which
-- change later; amounts never do.
create table record_number_days (
  day date not null,
  client_id int not null,
  number_id int not null,
  range_id int not null,
  gateway_id int not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (client_id, day, number_id, range_id, gateway_id)
) with (fillfactor = 80);
-- Days come in their order, so a small index finds those of everybody.
create index record_number_days_day_idx on record_number_days using brin (day);

-- Up to which batch of the log it is added up.
create table record_number_position (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null,
  batch bigint not null
);
insert into record_number_position (xid, batch) values ('0', 0);

-- The records of the batches that are not added up yet. Its plan is kept, as of records_of_batches.
create function records_not_in_number_days() returns setof records
language plpgsql stable rows 10000
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
  counted record_number_position;
  batch record;
begin
  select * into counted from record_number_position;
  for batch in
    select b.id, b.created_from, b.created_to from record_batches b where (b.xid, b.id) > (counted.xid, counted.batch)
  loop
    return query
      select * from records r
      where r.created_at between batch.created_from and batch.created_to
        and r.id >= batch.id * 4096 and r.id < (batch.id + 1) * 4096
      order by r.created_at, r.id;
  end loop;
end $$;

-- Records by week and number, of all gateways: a month by number reads one row for most weeks of a number instead of one
-- for each of its days.
create table record_number_weeks (
  -- Its Monday.
  week date not null,
  client_id int not null,
  number_id int not null,
  range_id int not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (week, number_id, client_id, range_id)
) with (fillfactor = 70);

-- Days that are deleted with their records leave the weeks alone: retention deletes both by whole weeks.
create function count_number_weeks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into record_number_weeks as kept
    select date_trunc('week', day)::date, client_id, number_id, range_id,
      sum(record_count), sum(bill_micro), sum(amount_micro)
    from added group by 1, 2, 3, 4
    on conflict (week, number_id, client_id, range_id) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro;
  else
    insert into record_number_weeks as kept
    select date_trunc('week', day)::date, client_id, number_id, range_id,
      sum(record_count), sum(bill_micro), sum(amount_micro)
    from (
      select day, client_id, number_id, range_id, record_count, bill_micro, amount_micro from added
      union all
      select day, client_id, number_id, range_id, -record_count, -bill_micro, -amount_micro from removed
    ) changed group by 1, 2, 3, 4
    on conflict (week, number_id, client_id, range_id) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro;
  end if;
  return null;
end $$;
create trigger record_number_days_added after insert on record_number_days
  referencing new table as added for each statement execute function count_number_weeks();
create trigger record_number_days_changed after update on record_number_days
  referencing old table as removed new table as added for each statement execute function count_number_weeks();

comment on table record_tally_packs is 'The sums of one transaction that stored or changed records, until they are folded. [passing]';
comment on table record_days is 'Records by day, client and range. [traffic]';
comment on table record_gateway_days is 'Records by day and gateway. [traffic]';
comment on table record_hours is 'Records by hour, for the last weeks. [passing]';
comment on table record_totals is 'All records that a client ever had, by state. [people]';
comment on table record_cycles is 'What a client earned in a cycle, by kind of settlement. [money]';
comment on table record_hour_totals is 'The hours of all clients together. [passing]';
comment on table record_day_totals is 'The days of all clients and ranges together. [traffic]';
comment on table record_client_days is 'The days of a client over all ranges. [traffic]';
comment on table traffic_hours is 'Records by the hour in which they were stored, for each gateway and each range. [passing]';
comment on table record_part_hours is 'Records by hour, client, range and gateway. [passing]';
comment on table record_part_days is 'Records by day, client, range and gateway. [traffic]';
comment on table record_part_hour_totals is 'Records of all clients by hour, range and gateway. [passing]';
comment on table record_part_day_totals is 'Records of all clients by day, range and gateway. [traffic]';
comment on table record_number_days is 'Records by day and number. [traffic]';
comment on table record_number_position is 'Up to which batch of the log record_number_days is added up. [settings]';
comment on table record_number_weeks is 'Records by week and number, of all gateways. [traffic]';
