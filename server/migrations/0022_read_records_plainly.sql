-- `records` and `record_batches` may be spread over servers by Citus (decision 57). It plans ranges with parameters, but
-- neither joins of these tables with others nor row locks over several keys. What needs those is a function here.

-- The held records of a cycle: of one client, or of all if `client` is null.
create function held_records(cycle int, client int) returns table (
  id bigint, client_id int, number_id int, rate_id int, settlement smallint, amount_micro bigint
)
language plpgsql stable rows 100
as $$
begin
  return query
    select r.id, r.client_id, r.number_id, r.rate_id, r.settlement, r.amount_micro from records r
    where r.is_held and r.cycle_id = cycle and (client is null or r.client_id = client);
end $$;

-- Locks records in the order of their keys, and returns them as they are then.
create function lock_records(created_ats timestamptz[], record_ids bigint[]) returns setof records
language plpgsql rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
    select r.* from unnest(created_ats, record_ids) k (created_at, id)
    join records r on r.created_at = k.created_at and r.id = k.id order by r.created_at, r.id for update of r;
end $$;

-- Changes records that have one of the statuses `from_statuses` (null: any), their counters and the log of changes.
-- Returns the keys of those it changed. A new value that is null leaves the old one.
create function change_records(
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
    where b.status <> new_status
    group by 1, 2, 3, 4, 5, 6
  ) moved group by cycle_id;
  insert into record_changes (record_ids, created_ats) values (ids, ats);
  return query select * from unnest(ats, ids);
end $$;

-- As in 0020. Of the records only their cycles, which are few, and those that are held are compared with other tables.
create or replace function drop_record_week(parent text, week date) returns text language plpgsql security definer as $$
declare
  partition text := parent || '_' || to_char(week, 'YYYYMMDD');
  week_end timestamptz := (week + 7)::timestamp at time zone 'UTC';
  indexed record_search_position;
  is_needed boolean;
begin
  if parent is null or parent not in ('records', 'record_batches') then
    raise exception 'no weeks of %', parent using errcode = 'invalid_parameter_value';
  end if;
  -- RECORD_MONTHS is 2 at least.
  if week_end is null or week_end > (date_trunc('month', now() at time zone 'UTC') - interval '2 months') at time zone 'UTC' then
    raise exception 'the week of % is too young to go', week using errcode = 'invalid_parameter_value';
  end if;
  if not exists (
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(parent) and c.relname = partition
  ) then
    raise exception 'there is no week %', partition using errcode = 'undefined_table';
  end if;
  execute format('lock table %I in share mode', partition);
  if parent = 'records' then
    execute format(
      'with present as materialized (select distinct cycle_id from %1$I),
         held as materialized (select id from %1$I where is_held)
       select exists (select 1 from present where cycle_id not in (select id from settled_cycles))
         or exists (select 1 from held where id not in (select record_id from refused_records))', partition)
    into is_needed;
  else
    select * into indexed from record_search_position;
    execute format('select exists (select 1 from %I where (xid, id) > ($1, $2))', partition)
    into is_needed using indexed.xid, indexed.batch;
    is_needed := is_needed or exists (select 1 from records where created_at < week_end);
  end if;
  if is_needed then return 'kept'; end if;
  execute format('drop table %I', partition);
  return 'gone';
end $$;
do $$
begin
  execute format('alter function drop_record_week(text, date) set search_path = %I, pg_temp', current_schema());
end $$;

-- Spreads `records` and `record_batches` over the servers of a Citus cluster, whose coordinator this database is. To be
-- called once, by the owner, while no gateway runs.
create function distribute_records(shards int) returns void language plpgsql as $distribute$
declare
  each regprocedure;
begin
  if not exists (select from pg_extension where extname = 'citus') then
    raise exception 'the extension citus is not in this database' using errcode = 'undefined_object';
  end if;
  perform set_config('citus.shard_count', shards::text, true);
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  execute $$select create_distributed_table('records', 'id')$$;
  execute $$select create_distributed_table('record_batches', 'id')$$;
  -- Citus plans for the values of parameters, so it refuses plans that are kept.
  for each in
    select oid from pg_proc where pronamespace = current_schema()::regnamespace
      and 'plan_cache_mode=force_generic_plan' = any(proconfig) and prosrc ~ '\m(records|record_batches)\M'
  loop
    execute format('alter function %s reset plan_cache_mode', each);
  end loop;
  -- Citus locks rows of one key at a time.
  create or replace function lock_records(created_ats timestamptz[], record_ids bigint[]) returns setof records
  language plpgsql rows 100 as $$
  declare
    at timestamptz;
    record_id bigint;
  begin
    for at, record_id in select k.a, k.i from unnest(created_ats, record_ids) k (a, i) order by 1, 2 loop
      return query select * from records r where r.created_at = at and r.id = record_id for update;
    end loop;
  end $$;
  -- A transaction commits here before it commits on the workers. It keeps the lock on its own id until it has done both,
  -- so what holds such a lock may still write into the log.
  create or replace function log_horizon() returns xid8 language sql stable as $$
    with snapshot as (select pg_current_snapshot() as taken, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_id),
    writers as (
      select running::text::bigint as id, running::xid as short from snapshot, pg_snapshot_xip(taken) running
      union all
      -- A lock names the lower half of the id.
      select next_id - ((next_id - l.transactionid::text::bigint) & 4294967295), l.transactionid from snapshot, pg_locks l
      where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
        and ((next_id - l.transactionid::text::bigint) & 4294967295) < 2147483648
    )
    select least(next_id, (
      select min(id) from writers w
      where not exists (
        select from pg_stat_activity a
        where a.backend_xid = w.short and (a.datid <> d.oid or a.application_name = 'tollgate-aside')
      )
    ))::text::xid8
    from snapshot, pg_database d where d.datname = current_database()
  $$;
end $distribute$;
revoke execute on function distribute_records(int) from public;
