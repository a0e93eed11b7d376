-- Test messages count in no figure of the traffic (decision 79): no counter has them, and a list finds them by an index.

-- It has few rows, so that counting all of them is cheap.
create index records_test_idx on records (created_at, id) where flags & 128 <> 0;

-- The newest test messages of a span of time below a place in the list. Its plan is kept, as of walk_records.
create function walk_test_records(
  since timestamptz, until timestamptz, before_at timestamptz, before_id bigint, rows_most int
) returns setof records
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
    select * from records r
    where r.flags & 128 <> 0 and r.created_at >= since and r.created_at < until
      and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
    order by r.created_at desc, r.id desc limit rows_most;
end $$;

-- As in 0022; the counters do not have tests, so a change of one moves nothing.
create or replace function change_records(
  created_ats timestamptz[], record_ids bigint[], from_statuses smallint[],
  new_status smallint, new_client_report smallint, new_no_report smallint, new_is_held boolean
) returns table (created_at timestamptz, id bigint)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  before records[] := array(
    select l from lock_records(created_ats, record_ids) l where from_statuses is null or l.status = any(from_statuses)
  );
  ats timestamptz[];
  ids bigint[];
  now timestamptz := clock_timestamp();
begin
  if cardinality(before) = 0 then return; end if;
  select array_agg(b.created_at), array_agg(b.id) into ats, ids from unnest(before) b;
  update records r set
    updated_at = now,
    status = coalesce(new_status, r.status),
    client_report = coalesce(new_client_report, r.client_report),
    no_report = coalesce(new_no_report, r.no_report),
    is_held = coalesce(new_is_held, r.is_held)
  from unnest(ats, ids) k (created_at, id) where r.created_at = k.created_at and r.id = k.id;
  insert into record_tally_packs
  select cycle_id, array_agg(hour), array_agg(client_id), array_agg(range_id), array_agg(gateway_id),
    array_agg(kind), array_agg(record_count), array_agg(bill_micro), array_agg(amount_micro)
  from (
    select b.cycle_id, extract(epoch from b.created_at)::bigint / 3600 as hour, coalesce(b.client_id, 0) as client_id,
      coalesce(b.range_id, 0) as range_id, b.gateway_id, b.settlement * 8 + side.status as kind,
      sum(side.sign) as record_count, sum(side.sign * b.bill_micro) as bill_micro,
      sum(side.sign * b.amount_micro) as amount_micro
    from unnest(before) b cross join lateral (values (b.status, -1), (new_status, 1)) side (status, sign)
    where b.status <> new_status and b.flags & 128 = 0
    group by 1, 2, 3, 4, 5, 6
  ) moved group by cycle_id;
  insert into record_changes (record_ids, created_ats) values (ids, ats);
  return query select * from unnest(ats, ids);
end $$;

-- The number of a test is in record_numbers for the client -2: it has a record, but no traffic.
create or replace function add_number_counts() returns trigger language plpgsql as $$
begin
  insert into record_number_counts as kept
  select client_id, count(*) from added where client_id >= 0 group by 1
  union all
  select -1, count(distinct a.number_id) from added a
  where a.client_id >= 0 and not exists (
    select from record_numbers n where n.number_id = a.number_id and n.client_id >= 0
      and not exists (select from added b where b.number_id = n.number_id and b.client_id = n.client_id)
  )
  on conflict (client_id) do update set number_count = kept.number_count + excluded.number_count;
  return null;
end $$;

-- As in 0010, with -2 for tests.
create or replace function numbers_behind(batches_most int) returns table (client_id int, number_id int)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  indexed record_search_position;
  batch record;
begin
  select * into indexed from record_search_position;
  for batch in
    select t.id, t.created_from, t.created_to from record_batches t
    where (t.xid, t.id) > (indexed.xid, indexed.batch) order by t.xid, t.id limit batches_most
  loop
    return query
      select case when r.flags & 128 <> 0 then -2 else coalesce(r.client_id, 0) end, r.number_id from records r
      where r.created_at between batch.created_from and batch.created_to
        and r.id >= batch.id * 4096 and r.id < (batch.id + 1) * 4096
      order by r.created_at, r.id;
  end loop;
end $$;

do $$
declare
  is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $q$select exists (select from pg_dist_partition where logicalrelid = 'records'::regclass)$q$ into is_spread;
  end if;
  if is_spread then
    alter function walk_test_records(timestamptz, timestamptz, timestamptz, bigint, int) reset plan_cache_mode;
    alter function change_records(timestamptz[], bigint[], smallint[], smallint, smallint, smallint, boolean)
      reset plan_cache_mode;
    alter function numbers_behind(int) reset plan_cache_mode;
  end if;
end $$;

-- The tests that were counted before leave the counters: the next fold adds this.
insert into record_tally_packs
select cycle_id, array_agg(hour), array_agg(client_id), array_agg(range_id), array_agg(gateway_id),
  array_agg(kind), array_agg(record_count), array_agg(bill_micro), array_agg(amount_micro)
from (
  select cycle_id, extract(epoch from created_at)::bigint / 3600 as hour, coalesce(client_id, 0) as client_id,
    coalesce(range_id, 0) as range_id, gateway_id, settlement * 8 + status as kind,
    -count(*) as record_count, -sum(bill_micro) as bill_micro, -sum(amount_micro) as amount_micro
  from walk_test_records('-infinity', 'infinity', 'infinity', 0, 2147483647) group by 1, 2, 3, 4, 5, 6
) tests group by cycle_id;
-- Suppliers of the source 3 send tests alone. The weeks follow the days.
update record_number_days set record_count = 0, bill_micro = 0, amount_micro = 0
where gateway_id in (select id from gateways where source = 3);
delete from record_number_days where gateway_id in (select id from gateways where source = 3);
