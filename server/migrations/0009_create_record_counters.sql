-- Counters of records: sums that screens read instead of counting records. A figure is a counter plus what the buffers
-- hold, so it is exact at every moment. In all tables 0 stands for "no client" or "no range", and -1 for "all".

-- A transaction that stores or changes records adds its sums here, insert-only, so that writers never wait for each other;
-- the fold moves them into the counters below. All sums of one transaction are one row: a row for each sum would cost
-- ingest and the fold several times as much.
create table record_counter_buffers (
  cycle_id int not null,
  hours int[] not null, -- Hours since 1970.
  client_ids int[] not null, range_ids int[] not null, gateway_ids int[] not null,
  kinds int[] not null, -- Settlement * 8 + status.
  record_counts int[] not null,
  bills_micro bigint[] not null, amounts_micro bigint[] not null
)
-- Rows live for a second: compressing them is not worth it, up to 8 kB they stay in the row instead of beside it, and the
-- job vacuums after itself.
with (autovacuum_enabled = off, toast.autovacuum_enabled = off, toast_tuple_target = 8160);
alter table record_counter_buffers
  alter hours set storage external, alter client_ids set storage external, alter range_ids set storage external,
  alter gateway_ids set storage external, alter kinds set storage external, alter record_counts set storage external,
  alter bills_micro set storage external, alter amounts_micro set storage external;

-- The same sums, one a row.
create view buffered_counters as
  select to_timestamp(hour * 3600.0) as hour, client_id, range_id, gateway_id, cycle_id,
    (kind / 8)::smallint as settlement, (kind % 8)::smallint as status, record_count, bill_micro, amount_micro
  from record_counter_buffers, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro,
    amounts_micro) as sums (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro);

-- The job that empties record_counter_buffers vacuums it. Before PostgreSQL 17 only the owner of a table may do that.
create function let_vacuum_counter_buffers(application text) returns void language plpgsql as $$
begin
  if current_setting('server_version_num')::int >= 170000 then
    if not has_table_privilege(application, 'record_counter_buffers', 'MAINTAIN') then
      execute format('grant maintain on record_counter_buffers to %I', application);
    end if;
  elsif pg_has_role(application, 'MEMBER')
    and not pg_has_role(application, (select relowner from pg_class where oid = 'record_counter_buffers'::regclass), 'USAGE') then
    execute format('grant create on schema %I to %I', current_schema(), application);
    execute format('alter table record_counter_buffers owner to %I', application);
    execute format('revoke create on schema %I from %I', current_schema(), application);
  end if;
end $$;

-- By hour. Each record is counted in several rows: those of its client and those of all clients (-1); of each, one with
-- its range and gateway and one of all ranges and gateways (-1). Hours with ranges are deleted after two weeks.
create table record_hour_counters (
  hour timestamptz not null,
  client_id int not null, range_id int not null, gateway_id int not null,
  status smallint not null,
  record_count bigint not null, bill_micro bigint not null, amount_micro bigint not null,
  primary key (hour, client_id, range_id, gateway_id, status)
) with (fillfactor = 70);
-- A row of everything or of all clients is found among thousands of the same hour.
create index record_hour_counters_all_idx on record_hour_counters (client_id, range_id, hour)
  where client_id = -1 or range_id = -1;

-- By day, in the same way; also with the gateway alone. The day -infinity is all time: a few rows for each client.
create table record_day_counters (
  day date not null,
  client_id int not null, range_id int not null, gateway_id int not null,
  status smallint not null,
  record_count bigint not null, bill_micro bigint not null, amount_micro bigint not null,
  -- By day first, so that the fold works in few pages.
  primary key (day, client_id, range_id, gateway_id, status)
) with (fillfactor = 70);
create index record_day_counters_client_idx on record_day_counters (client_id, range_id, day, gateway_id, status);
-- What is asked of all clients one by one: without ranges, or of some ranges.
create index record_day_counters_range_idx on record_day_counters (range_id, day, gateway_id);

-- What each client earned in each cycle, by kind of settlement.
create table record_cycle_counters (
  cycle_id int not null, client_id int not null, settlement smallint not null,
  record_count bigint not null, amount_micro bigint not null,
  primary key (cycle_id, client_id, settlement)
) with (fillfactor = 70);

-- The same with the buffers: what the ledger must agree with at every moment.
create view record_cycles as
  select cycle_id, client_id, settlement, record_count, amount_micro from record_cycle_counters
  union all
  select cycle_id, client_id, settlement, record_count, amount_micro from buffered_counters;

-- Records by the hour in which they were stored, and by where they came from or the range that they belong to. A change of
-- a record's status adds nothing: it takes away as much as it adds.
create table traffic_hours (
  hour timestamptz not null,
  kind text not null check (kind in ('gateway', 'range')),
  item_id int not null,
  record_count bigint not null,
  primary key (hour, kind, item_id)
) with (fillfactor = 70);

-- Records by day and number. A follower of the log keeps it: the counter buffers know no numbers. Without states, which
-- change later; amounts never do.
create table record_number_days (
  day date not null,
  client_id int not null, number_id int not null, range_id int not null, gateway_id int not null,
  record_count bigint not null, bill_micro bigint not null, amount_micro bigint not null,
  primary key (client_id, day, number_id, range_id, gateway_id)
) with (fillfactor = 80);
-- Days come in their order, so a small index finds those of everybody.
create index record_number_days_day_idx on record_number_days using brin (day);

-- The records of the batches that are not added up yet. Its plan is kept, as of records_of_batches.
create function records_not_in_number_days() returns setof records language plpgsql stable rows 10000
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  counted follower_positions;
  batch record;
begin
  select * into counted from follower_positions where follower = 'numbers';
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
  week date not null, -- Its Monday.
  client_id int not null, number_id int not null, range_id int not null,
  record_count bigint not null, bill_micro bigint not null, amount_micro bigint not null,
  primary key (week, number_id, client_id, range_id)
) with (fillfactor = 70);

comment on table record_counter_buffers is 'The sums of one transaction that stored or changed records, until they are folded. [passing]';
comment on view buffered_counters is 'The sums of record_counter_buffers, one a row.';
comment on table record_hour_counters is 'Records by hour and state; for two weeks also by range and gateway. [traffic]';
comment on table record_day_counters is 'Records by day and state, also by gateway and by range and gateway; and of all time. [traffic]';
comment on table record_cycle_counters is 'What a client earned in a cycle, by kind of settlement. [money]';
comment on view record_cycles is 'record_cycle_counters with the buffers.';
comment on table traffic_hours is 'Records by the hour in which they were stored, for each gateway and each range. [passing]';
comment on table record_number_days is 'Records by day and number. [traffic]';
comment on table record_number_weeks is 'Records by week and number, of all gateways. [traffic]';
