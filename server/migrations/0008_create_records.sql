-- Records: the accepted messages (CDRs), partitioned by week, and the log of the batches they were stored in.

-- Where records come in, as a record's "gateway" names it. Source: 0 SMPP bind, 1 connection, 2 provider, 3 API.
create table gateways (
  id int generated always as identity primary key,
  source smallint not null check (source between 0 and 3),
  name text not null,
  user_id int references users,
  unique (source, name)
);

-- One accepted SMS. Codes stand for the words in contract/src/vocabulary.ts, by their position there. The order of the
-- columns leaves no padding between them.
create table records (
  created_at timestamptz not null,
  -- The id of its batch * 4096 + its position in the batch.
  id bigint not null,
  updated_at timestamptz not null,
  -- Millionths: bill in shekels, amount in USD.
  bill_micro bigint not null,
  amount_micro bigint not null,
  number_id int not null,
  client_id int,
  range_id int,
  gateway_id int not null,
  rate_id int,
  cycle_id int not null,
  status smallint not null,
  settlement smallint not null,
  no_report smallint not null default 0,
  client_report smallint not null default 0,
  flags smallint not null default 0,
  is_held boolean not null default false,
  sender text not null,
  primary key (created_at, id)
) partition by range (created_at);
-- There is no index by number: each costs every message (decision 16). Record search finds them, see 0010.
create index records_client_idx on records (client_id, created_at, id);
-- Every status but the usual last one (2, completed), so these indexes cost the usual record nothing.
create index records_open_idx on records (status, created_at, id) where status <> 2;
create index records_client_open_idx on records (client_id, status, created_at, id) where status <> 2;
create index records_held_idx on records (cycle_id, client_id) where is_held;
create table records_default partition of records default;

-- The log: one row for each committed batch of records.
create table record_batches (
  id bigint not null,
  stored_at timestamptz not null,
  -- Readers follow the log in the order of xid and id: what is below the oldest running transaction can change no more.
  xid xid8 not null default pg_current_xact_id(),
  record_count smallint not null check (record_count between 1 and 4096),
  -- The flag bits that any of its records has, and the clients who have a record in it, so that a reader skips batches
  -- without anything for it. Null: not noted, so the reader looks at the records.
  record_flags smallint,
  created_from timestamptz not null,
  created_to timestamptz not null,
  -- When the batch was priced; stored_at is taken just before the commit.
  priced_at timestamptz not null,
  client_ids int[],
  -- AES-256-GCM over the raw messages (addresses, coding, bytes), with the batch id as associated data; null once their
  -- time is over.
  sealed_bodies bytea,
  -- SHA-256 of the sealed bodies, once they are deleted: tells whether a copy in a backup is the one that was stored here.
  bodies_hash bytea,
  primary key (stored_at, id)
) partition by range (stored_at);
create index record_batches_xid_idx on record_batches (xid, id);
create index record_batches_id_idx on record_batches (id);
-- Encrypted bytes do not compress, so PostgreSQL need not try.
alter table record_batches alter column sealed_bodies set storage external;
create table record_batches_default partition of record_batches default;

-- Makes the partitions of the week (Monday 00:00 UTC to Monday) that contains `at`. Harmless when they exist. Runs as the
-- owner, because the program's own role may not create tables (decision 49).
create function ensure_record_week(at timestamptz) returns void language plpgsql security definer as $$
declare
  week_start timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  week_end timestamptz := week_start + interval '7 days';
  suffix text := to_char(week_start at time zone 'UTC', 'YYYYMMDD');
begin
  -- A caller must not be able to make tables without end.
  if at is null or at not between now() - interval '10 years' and now() + interval '5 years' then
    raise exception 'no week is made for %', at using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(hashtext('ensure_record_week'));
  if to_regclass('records_' || suffix) is null then
    execute format('create table %I partition of records for values from (%L) to (%L)', 'records_' || suffix, week_start, week_end);
  end if;
  if to_regclass('record_batches_' || suffix) is null then
    execute format('create table %I partition of record_batches for values from (%L) to (%L)', 'record_batches_' || suffix, week_start, week_end);
  end if;
end $$;

-- Drops the partition of `parent` (records or record_batches) that begins at `week`. Returns 'gone', or 'kept' for one
-- that contains money that is not settled, or batches that record search lacks or that older records need. Nobody can
-- write to the week while it is examined. The caller sets lock_timeout. Runs as the owner.
create function drop_record_week(parent text, week date) returns text language plpgsql security definer as $$
declare
  partition text := parent || '_' || to_char(week, 'YYYYMMDD');
  week_end timestamptz := (week + 7)::timestamp at time zone 'UTC';
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
      'select exists (select from %I r where r.is_held or not exists (select from settled_cycles s where s.id = r.cycle_id))',
      partition) into is_needed;
  else
    execute format(
      'select exists (select from %I b, record_search_position p where (b.xid, b.id) > (p.xid, p.batch))
         or exists (select from records where created_at < %L)',
      partition, week_end) into is_needed;
  end if;
  if is_needed then return 'kept'; end if;
  execute format('drop table %I', partition);
  return 'gone';
end $$;

-- Both run as the owner, so only the program may call them, and the names in them are looked up in this schema whatever
-- the caller's search_path says.
revoke execute on function ensure_record_week(timestamptz), drop_record_week(text, date) from public;
do $$
declare each regprocedure;
begin
  foreach each in array array['ensure_record_week(timestamptz)', 'drop_record_week(text, date)']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', each, current_schema());
  end loop;
end $$;

-- Up to where the log can change no more: the oldest transaction still running that could write into it. Transactions in
-- other databases and those that declared that they do not write records (application_name) are left out. An activity
-- that is seen too late, or may not be seen, only makes the answer lower (decision 17).
create function log_horizon() returns xid8
language sql stable
as $$
  select case
    when pg_snapshot_xmin(s.now) = pg_snapshot_xmax(s.now) then pg_snapshot_xmax(s.now)
    else coalesce(
      (
        select min(running) from pg_snapshot_xip(s.now) running
        where not exists (
          select from pg_stat_activity a
          where a.backend_xid = running::xid
            and (a.datid <> d.oid or a.application_name = 'tollgate-aside')
        )
      ),
      pg_snapshot_xmax(s.now)
    )
  end
  from (select pg_current_snapshot() as now offset 0) s, pg_database d where d.datname = current_database()
$$;

-- The batches of the log from (`from_xid`, `from_batch`) on and below `horizon`, in order. Its plan is kept, see below.
create function log_batches(from_xid xid8, from_batch bigint, horizon xid8, batches_max int)
returns table (
  xid xid8, id bigint, record_count smallint, created_from timestamptz, created_to timestamptz, record_flags smallint,
  client_ids int[]
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return query
    select b.xid, b.id, b.record_count, b.created_from, b.created_to, b.record_flags, b.client_ids from record_batches b
    where (b.xid, b.id) >= (from_xid, from_batch) and b.xid < horizon order by b.xid, b.id limit batches_max;
end $$;

-- Later changes of records, for the live feed.
create table record_changes (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  record_ids bigint[] not null,
  created_ats timestamptz[] not null
);
create index record_changes_xid_idx on record_changes (xid, id);

-- Refused messages, counted by day, so that none disappears silently.
create table refusals (
  day date not null,
  reason text not null,
  number text not null,
  gateway text not null,
  refused_count bigint not null,
  last_at timestamptz not null,
  primary key (day, reason, number, gateway)
);

-- The sealed bodies of batches stored before this time are deleted (decision 19).
create table record_retention (
  only_row boolean primary key default true check (only_row),
  bodies_gone_until timestamptz not null default '-infinity'
);
insert into record_retention default values;

-- The functions below read records with plans that are kept: planning over all weeks takes longer than reading a page. As
-- such a plan may be made while a week is still empty, sequential and bitmap scans are switched off for it. Each statement
-- is plain: a range or keys with parameters. Citus, which distributes tables over servers, cannot plan kept plans; there
-- `alter function … reset plan_cache_mode` is needed.

-- Records by their keys.
create function records_at(created_ats timestamptz[], record_ids bigint[]) returns setof records
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
    select r.* from unnest(created_ats, record_ids) k (created_at, id)
    join records r on r.created_at = k.created_at and r.id = k.id;
end $$;

-- The records of batches of the log, from position `firsts` to below `beyonds` in each. The order is for the planner: it
-- leads it to the primary key, and not to a client's index, which would be searched once for every client.
create function records_of_batches(
  batch_ids bigint[], created_froms timestamptz[], created_tos timestamptz[], firsts int[], beyonds int[]
) returns setof records
language plpgsql stable rows 1000
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  for nth in 1 .. cardinality(batch_ids) loop
    return query
      select * from records r
      where r.created_at between created_froms[nth] and created_tos[nth]
        and r.id >= batch_ids[nth] * 4096 + firsts[nth] and r.id < batch_ids[nth] * 4096 + beyonds[nth]
      order by r.created_at, r.id;
  end loop;
end $$;

-- The newest records that one index leads to, below a position in the list, at most `rows_most`.
create function walk_records(
  lead text, key int, owner int, since timestamptz, until timestamptz, before_at timestamptz, before_id bigint,
  rows_most int
) returns setof records
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  case lead
    when 'time' then return query
      select * from records r
      where r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'clientIds' then return query
      select * from records r
      where r.client_id = key and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    -- The partial indexes answer only when their own condition is written out.
    when 'statuses' then return query
      select * from records r
      where r.status = key::smallint and r.status <> 2 and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'clientStatuses' then return query
      select * from records r
      where r.client_id = owner and r.status = key::smallint and r.status <> 2
        and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
  end case;
end $$;
