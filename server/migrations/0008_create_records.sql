-- Records: the accepted messages (CDRs), partitioned by week, and the log of the batches they were stored in.

create table gateways (
  id int generated always as identity primary key,
  source smallint not null check (source between 0 and 3),
  name text not null,
  user_id int references users,
  -- What clients see instead of the name: what staff chose, or a neutral word with the id.
  chosen_alias text check (chosen_alias <> ''),
  alias text not null generated always as (coalesce(chosen_alias, 'Supplier ' || id::text)) stored,
  unique (source, name)
);
comment on table gateways is 'Where records come in, as a record''s "gateway" names it. Source: 0 SMPP bind, 1 connection, 2 provider, 3 API. [people]';

-- Codes stand for the words in contract/src/vocabulary.ts, by their position there. No padding between the columns.
create table records (
  created_at timestamptz not null,
  id bigint not null, -- The id of its batch * 4096 + its position in the batch.
  updated_at timestamptz not null,
  bill_micro bigint not null, amount_micro bigint not null, -- Millionths: bill in shekels, amount in USD.
  number_id int not null, client_id int, range_id int, gateway_id int not null,
  rate_id int, cycle_id int not null,
  -- Its place in a long message, by its user data header or its sar_ parameters; null for a message of one piece.
  segment_reference int, segment_total smallint, segment_sequence smallint,
  data_coding smallint, -- The data_coding of its PDU; null for a source without PDUs.
  -- As many SMS as its text fills: a text in message_payload may fill hundreds. 0 for an acknowledgement, which earns nothing.
  sms_count smallint not null default 1,
  status smallint not null, settlement smallint not null,
  no_report smallint not null default 0, client_report smallint not null default 0,
  flags smallint not null default 0, is_held boolean not null default false,
  sender text not null,
  primary key (created_at, id)
) partition by range (created_at);
comment on table records is 'One accepted SMS. [traffic]';
-- There is no index by number: each costs every message (decision 16). Record search finds them.
create index records_client_idx on records (client_id, created_at, id);
-- Every status but the usual last one (2, completed), so these indexes cost the usual record nothing.
create index records_open_idx on records (status, created_at, id) where status <> 2;
create index records_client_open_idx on records (client_id, status, created_at, id) where status <> 2;
create index records_held_idx on records (cycle_id, client_id) where is_held;
-- Test messages are few, so that counting all of them is cheap.
create index records_test_idx on records (created_at, id) where flags & 128 <> 0;
create table records_default partition of records default;

-- The place of a transaction in the log: its id, and what settle_log has added for a log that came from another server.
create function log_xid(transaction xid8) returns xid8 language sql immutable strict as $$
  select (transaction::text::bigint + 0)::text::xid8
$$;

create table record_batches (
  id bigint not null, stored_at timestamptz not null,
  -- Readers follow the log in the order of xid and id: what is below the oldest running transaction can change no more.
  xid xid8 not null default log_xid(pg_current_xact_id()),
  record_count smallint not null check (record_count between 1 and 4096),
  -- The flag bits that any of its records has, and the clients who have a record in it, so that a reader skips batches
  -- without anything for it. Null: not noted, so the reader looks at the records.
  record_flags smallint,
  created_from timestamptz not null, created_to timestamptz not null,
  priced_at timestamptz not null, -- When the batch was priced; stored_at is taken just before the commit.
  client_ids int[],
  -- AES-256-GCM over the raw messages (addresses, coding, bytes), with the batch id as associated data; null once their
  -- time is over.
  encrypted_bodies bytea,
  -- SHA-256 of the encrypted bodies, once they are deleted: tells whether a copy in a backup is the one that was stored here.
  bodies_hash bytea,
  -- What the peers of the batch call their messages, kept as long as its records (decision 80): the forms of the ids that
  -- they were answered with, and their user_message_references.
  peer_ids bytea,
  primary key (stored_at, id)
) partition by range (stored_at);
comment on table record_batches is 'One committed batch of records: an entry of the log. [traffic]';
create index record_batches_xid_idx on record_batches (xid, id);
create index record_batches_id_idx on record_batches (id);
-- Encrypted bytes do not compress, so PostgreSQL need not try.
alter table record_batches alter column encrypted_bodies set storage external;
create table record_batches_default partition of record_batches default;

create table follower_positions (
  follower text primary key,
  xid xid8 not null default '0', -- The last batch that is done.
  batch bigint not null default 0,
  -- Of one that follows records and their changes: the event that it goes on after. Of the removal of texts (decision 4):
  -- the time before which they are gone.
  position text not null default '0'
);
comment on table follower_positions is 'How far a follower of the log has come. [settings]';
insert into follower_positions (follower) values ('lines'), ('long_messages'), ('numbers'), ('search'), ('senders'), ('webhooks');
insert into follower_positions (follower, position) values
  ('receipts', pg_snapshot_xmin(pg_current_snapshot())::text), ('texts', '-infinity');

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
-- that contains money that is not settled, or batches that record search lacks or that older records need. A refused hold
-- keeps its week no longer than until a signed statement names the refusal. Of the records only their cycles, which are few,
-- and those that are held are compared with other tables. Nobody can write to the week while it is examined. The caller sets
-- lock_timeout. Runs as the owner.
-- `archived`: before its time, because it is archived. Then it returns 'kept' as well for records without a delivered
-- archive and for bills that are not paid, and 'changed' when the archive is not what is stored.
create function drop_record_week(parent text, week date, archived boolean) returns text
language plpgsql security definer as $$
declare
  partition text := parent || '_' || to_char(week, 'YYYYMMDD');
  week_end timestamptz := (week + 7)::timestamp at time zone 'UTC';
  indexed record;
  is_needed boolean;
  is_archived boolean;
begin
  if parent is null or parent not in ('records', 'record_batches') then
    raise exception 'no weeks of %', parent using errcode = 'invalid_parameter_value';
  end if;
  -- RECORD_MONTHS is 2 at least, ONLINE_WEEKS 5.
  if week_end is null or archived is null or week_end > (case
    when archived then now() - interval '5 weeks'
    else (date_trunc('month', now() at time zone 'UTC') - interval '2 months') at time zone 'UTC'
  end) then
    raise exception 'the week of % is too young to go', week using errcode = 'invalid_parameter_value';
  end if;
  if not exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(parent) and c.relname = partition) then
    raise exception 'there is no week %', partition using errcode = 'undefined_table';
  end if;
  execute format('lock table %I in share mode', partition);
  if parent = 'records' then
    if archived and not exists (select from archived_weeks a where a.week = drop_record_week.week) then return 'kept'; end if;
    execute format(
      'with present as materialized (select distinct cycle_id from %1$I),
         held as materialized (select id from %1$I where is_held)
       select exists (select 1 from present where cycle_id not in (select id from %2$I))
         or exists (select 1 from held where id not in (select record_id from refused_records))',
      partition, case when archived then 'paid_cycles' else 'settled_cycles' end)
    into is_needed;
  else
    select * into indexed from follower_positions where follower = 'search';
    execute format('select exists (select 1 from %I where (xid, id) > ($1, $2))', partition) into is_needed using indexed.xid, indexed.batch;
    is_needed := is_needed or exists (select 1 from records where created_at < week_end);
  end if;
  if is_needed then return 'kept'; end if;
  if parent = 'records' and archived then
    -- Nobody has it delivered anew meanwhile.
    perform from cdr_files f where f.archived_week = week for share;
    execute format(
      'select exists (
         select from archived_weeks a,
           (select count(*) as n, coalesce(sum((extract(epoch from updated_at) * 1000000)::bigint), 0) as updated_sum from %I) r
         where a.week = $1 and a.record_count = r.n and a.updated_sum = r.updated_sum)', partition)
    into is_archived using week;
    if not is_archived then return 'changed'; end if;
  end if;
  execute format('drop table %I', partition);
  return 'gone';
end $$;

-- Both run as the owner, so only the program may call them, and the names in them are looked up in this schema whatever
-- the caller's search_path says.
revoke execute on function ensure_record_week(timestamptz), drop_record_week(text, date, boolean) from public;
do $$
declare each regprocedure;
begin
  foreach each in array array['ensure_record_week(timestamptz)', 'drop_record_week(text, date, boolean)']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', each, current_schema());
  end loop;
end $$;

-- Up to where the log can change no more: the oldest transaction still running that could write into it. Transactions in
-- other databases and those that declared that they do not write records (application_name) are left out. An activity
-- that is seen too late, or may not be seen, only makes the answer lower (decision 17).
create function log_horizon() returns xid8 language sql stable as $$
  select log_xid(case
    when pg_snapshot_xmin(s.now) = pg_snapshot_xmax(s.now) then pg_snapshot_xmax(s.now)
    else coalesce((
      select min(running) from pg_snapshot_xip(s.now) running
      where not exists (
        select from pg_stat_activity a
        where a.backend_xid = running::xid and (a.datid <> d.oid or a.application_name = 'tollgate-aside'))
    ), pg_snapshot_xmax(s.now))
  end)
  from (select pg_current_snapshot() as now offset 0) s, pg_database d where d.datname = current_database()
$$;

-- Makes the log go on behind what is in it, when it came here from another server: with a move, or a dump. Transactions
-- are numbered by each server anew, so what is stored here would come before it in the log, and nobody would read it. The
-- owner calls it at each start. It changes nothing for a log of this server: no id in it has yet to be given out, and no
-- position is beyond the horizon. Citus, whose servers are moved by its own means, is not asked: a worker may be away.
create function settle_log() returns void language plpgsql as $$
declare
  each record;
  reached bigint;
  needed bigint := 0;
  next bigint;
begin
  perform pg_advisory_xact_lock(hashtext('settle_log'));
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  for each in
    select c.oid::regclass as name,
      case when a.atttypid = 'xid8'::regtype then quote_ident(a.attname)
        -- An event's id, see log-position.ts; another text is a time.
        else $t$case when position ~ '^\d+(-\d+-\d+-\d+)?$' then split_part(position, '-', 1)::xid8 end$t$ end as xid,
      -- The first id that is free behind those that transactions have; a position may be the one that comes next.
      (c.relname in ('record_batches', 'record_changes', 'long_messages'))::int as behind
    from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (a.atttypid = 'xid8'::regtype or (a.attname = 'position' and a.atttypid = 'text'::regtype))
  loop
    execute format('select max(%s)::text::bigint + %s from %s', each.xid, each.behind, each.name) into reached;
    needed := greatest(needed, reached);
  end loop;
  next := log_xid(pg_snapshot_xmax(pg_current_snapshot()))::text::bigint;
  if needed <= next then return; end if;
  execute format(
    'create or replace function log_xid(transaction xid8) returns xid8 language sql immutable strict as %L',
    format(' select (transaction::text::bigint + %s)::text::xid8 ', log_xid('0')::text::bigint + needed - next)
  );
end $$;
revoke execute on function settle_log() from public;

-- The batches of the log from (`from_xid`, `from_batch`) on and below `horizon`, in order. Its plan is kept, see below.
create function log_batches(from_xid xid8, from_batch bigint, horizon xid8, batches_max int)
returns table (xid xid8, id bigint, record_count smallint, created_from timestamptz, created_to timestamptz,
  record_flags smallint, client_ids int[]) language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query
    select b.xid, b.id, b.record_count, b.created_from, b.created_to, b.record_flags, b.client_ids from record_batches b
    where (b.xid, b.id) >= (from_xid, from_batch) and b.xid < horizon order by b.xid, b.id limit batches_max;
end $$;

create table record_changes (
  id bigint generated always as identity primary key,
  xid xid8 not null default log_xid(pg_current_xact_id()),
  at timestamptz not null default now(),
  record_ids bigint[] not null, created_ats timestamptz[] not null,
  -- A hold or its release: whoever pumps traffic must not learn at once what was found.
  is_for_staff boolean not null default false
);
comment on table record_changes is 'Later changes of records, for the live feed. [traffic]';
create index record_changes_xid_idx on record_changes (xid, id);

create table refusal_hours (
  gateway_id int not null,
  hour timestamptz not null, reason text not null,
  command_status bigint not null default 0, -- Of the answer; 0: the one that the reason always has.
  number text not null,
  refused_count bigint not null, last_at timestamptz not null,
  -- What was wrong with the last PDU that could not be taken, and its octets in hexadecimal with the text hidden.
  detail text not null default '', octets text not null default '',
  primary key (gateway_id, hour, reason, command_status, number)
) with (fillfactor = 70);
comment on table refusal_hours is 'Refused messages of an hour, so that none disappears silently. [traffic]';
create index refusal_hours_number_idx on refusal_hours (hour, reason, number);

-- So that one message that somebody asks for is found. What is alike within a minute is one row. Of a flood, whatever has
-- room: refusal_hours has the whole count.
create table refused_messages (
  minute timestamptz not null,
  gateway_id int not null,
  number text not null, sender text not null,
  reason text not null,
  command_status bigint not null, -- 0: the one that the reason always has.
  refused_count bigint not null, last_at timestamptz not null,
  primary key (minute, gateway_id, number, sender, reason, command_status)
) with (fillfactor = 70);
comment on table refused_messages is 'Refused messages by the minute, with number and sender. [traffic]';

-- The functions below read records with plans that are kept: planning over all weeks takes longer than reading a page. As
-- such a plan may be made while a week is still empty, sequential and bitmap scans are switched off for it. Each statement
-- is plain: a range or keys with parameters. distribute_records resets plan_cache_mode, as Citus refuses such plans.

-- Records by their keys.
create function records_at(created_ats timestamptz[], record_ids bigint[]) returns setof records
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
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
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
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
  lead text, key int, owner int, since timestamptz, until timestamptz, before_at timestamptz, before_id bigint, rows_most int
) returns setof records language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  case lead
    when 'time' then return query
      select * from records r where r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'clientIds' then return query
      select * from records r where r.client_id = key and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    -- The partial indexes answer only when their own condition is written out.
    when 'statuses' then return query
      select * from records r where r.status = key::smallint and r.status <> 2 and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'clientStatuses' then return query
      select * from records r where r.client_id = owner and r.status = key::smallint and r.status <> 2
        and r.created_at >= since and r.created_at < until and r.created_at <= before_at
        and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'unowned' then return query
      select * from records r where r.client_id is null and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.client_id desc, r.created_at desc, r.id desc limit rows_most;
    when 'tests' then return query
      select * from records r where r.flags & 128 <> 0 and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
  end case;
end $$;

-- The messages to a number that nobody held, oldest first, that count as SMS: who backdates a holding is credited for them.
-- They stand at the end of the index by client, since their client is null; the order leads the planner there.
create function unowned_records(number int, since timestamptz, until timestamptz, rows_most int)
returns table (created_at timestamptz, id bigint, cycle_id int, sms_count smallint) language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
    select r.created_at, r.id, r.cycle_id, r.sms_count from records r
    where r.client_id is null and r.number_id = number and r.created_at >= since and r.created_at < until and r.sms_count > 0
    order by r.client_id, r.created_at, r.id limit rows_most;
end $$;

-- `records` and `record_batches` may be spread over servers by Citus (decision 57). It plans ranges with parameters, but
-- neither joins of these tables with others nor row locks over several keys. What needs those is a function here.

-- A client's messages from these senders that are not held, the newest first, below a place in the list. Without test
-- messages and acknowledgements, which earn nothing.
create function records_of_senders(
  client int, senders text[], since timestamptz, before_at timestamptz, before_id bigint, rows_most int
) returns table (
  created_at timestamptz, id bigint, number_id int, rate_id int, cycle_id int, settlement smallint, amount_micro bigint
) language plpgsql stable rows 1000
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
    select r.created_at, r.id, r.number_id, r.rate_id, r.cycle_id, r.settlement, r.amount_micro from records r
    where r.client_id = client and r.created_at >= since and r.created_at <= before_at
      and (r.created_at, r.id) < (before_at, before_id) and (r.sender in (select unnest(senders))) is true
      and not r.is_held and r.sms_count > 0 and r.flags & 128 = 0
    order by r.created_at desc, r.id desc limit rows_most;
end $$;

-- Locks records in the order of their keys, and returns them as they are then.
create function lock_records(created_ats timestamptz[], record_ids bigint[]) returns setof records
language plpgsql rows 100
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  return query
    select r.* from unnest(created_ats, record_ids) k (created_at, id)
    join records r on r.created_at = k.created_at and r.id = k.id order by r.created_at, r.id for update of r;
end $$;

-- Changes records that have one of the statuses `from_statuses` (null: any), their counters and the log of changes. The
-- counters do not have tests, so a change of one moves nothing. A hold or its release alone moves no counter, and is no
-- update that clients are told of. A new value that is null leaves the old one.
create function change_records(
  created_ats timestamptz[], record_ids bigint[], from_statuses smallint[],
  new_status smallint, new_client_report smallint, new_no_report smallint, new_is_held boolean
) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  before records[];
  ats timestamptz[];
  ids bigint[];
  now timestamptz := clock_timestamp();
  is_hold_alone boolean := new_is_held is not null and new_status is null and new_client_report is null
    and new_no_report is null;
begin
  if is_hold_alone then
    select array_agg(l.created_at), array_agg(l.id) into ats, ids from lock_records(created_ats, record_ids) l
    where from_statuses is null or l.status = any(from_statuses);
  else
    before := array(
      select l from lock_records(created_ats, record_ids) l where from_statuses is null or l.status = any(from_statuses)
    );
    select array_agg(b.created_at), array_agg(b.id) into ats, ids from unnest(before) b;
  end if;
  if ids is null then return; end if;
  update records r set
    updated_at = case when is_hold_alone then r.updated_at else now end,
    status = coalesce(new_status, r.status),
    client_report = coalesce(new_client_report, r.client_report),
    no_report = coalesce(new_no_report, r.no_report),
    is_held = coalesce(new_is_held, r.is_held)
  from unnest(ats, ids) k (created_at, id) where r.created_at = k.created_at and r.id = k.id;
  insert into record_counter_buffers
  select cycle_id, array_agg(hour), array_agg(client_id), array_agg(range_id), array_agg(gateway_id),
    array_agg(kind), array_agg(record_count), array_agg(bill_micro), array_agg(amount_micro)
  from (
    select b.cycle_id, floor(extract(epoch from b.created_at))::bigint / 3600 as hour, coalesce(b.client_id, 0) as client_id,
      coalesce(b.range_id, 0) as range_id, b.gateway_id, b.settlement * 8 + side.status as kind,
      sum(side.sign) as record_count, sum(side.sign * b.bill_micro) as bill_micro,
      sum(side.sign * b.amount_micro) as amount_micro
    from unnest(before) b cross join lateral (values (b.status, -1), (new_status, 1)) side (status, sign)
    where b.status <> new_status and b.flags & 128 = 0
    group by 1, 2, 3, 4, 5, 6
  ) moved group by cycle_id;
  insert into record_changes (record_ids, created_ats, is_for_staff) values (ids, ats, is_hold_alone);
end $$;

-- Spreads `records` and `record_batches` over the servers of a Citus cluster, whose coordinator this database is. To be
-- called once, by the owner, while no gateway runs. A batch and its records are in one shard, so that storing a batch
-- asks one worker, however many there are: a record names its batch in a column that only spread tables have.
create function distribute_records(shards int) returns void language plpgsql as $distribute$
declare
  each regprocedure;
  changed record;
  definition text;
begin
  if not exists (select from pg_extension where extname = 'citus') then
    raise exception 'the extension citus is not in this database' using errcode = 'undefined_object';
  end if;
  perform set_config('citus.shard_count', shards::text, true);
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  alter table records add column batch_id bigint;
  update records set batch_id = id / 4096;
  alter table records alter column batch_id set not null, drop constraint records_pkey, add primary key (created_at, id, batch_id);
  execute $$select create_distributed_table('record_batches', 'id')$$;
  execute $$select create_distributed_table('records', 'batch_id', colocate_with => 'record_batches')$$;
  -- With the batch in the condition one worker is asked, without it all of them.
  for changed in
    select * from (values
      ('records_of_batches'::regproc, array['r.id >= batch_ids[nth]'],
        array['r.batch_id = batch_ids[nth] and r.id >= batch_ids[nth]']),
      ('change_records', array['declare', 'update records r set', 'where r.created_at = k.created_at and r.id = k.id;'],
        array['declare batch bigint;', 'for batch in select distinct k / 4096 from unnest(ids) k loop update records r set',
          'where r.batch_id = batch and r.created_at = k.created_at and r.id = k.id; end loop;']),
      ('erase_sender', array['declare', 'update records r set', 'where r.created_at = k.created_at and r.id = k.id;'],
        array['declare batch bigint;', 'for batch in select distinct k / 4096 from unnest(ids) k loop update records r set',
          'where r.batch_id = batch and r.created_at = k.created_at and r.id = k.id; end loop;'])
    ) c (routine, olds, news)
  loop
    definition := pg_get_functiondef(changed.routine);
    for nth in 1 .. cardinality(changed.olds) loop
      if position(changed.olds[nth] in definition) = 0 then
        raise exception '% has no "%"', changed.routine, changed.olds[nth];
      end if;
      definition := replace(definition, changed.olds[nth], changed.news[nth]);
    end loop;
    execute definition;
  end loop;
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
      return query
        select * from records r where r.batch_id = record_id / 4096 and r.created_at = at and r.id = record_id for update;
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
    select log_xid(least(next_id, (
      select min(id) from writers w
      where not exists (
        select from pg_stat_activity a
        where a.backend_xid = w.short and (a.datid <> d.oid or a.application_name = 'tollgate-aside'))
    ))::text::xid8)
    from snapshot, pg_database d where d.datname = current_database()
  $$;
end $distribute$;
revoke execute on function distribute_records(int) from public;

-- A follower of the log writes it, so it costs ingest nothing, and a segment finds the others without a search.
create table long_messages (
  id bigint generated always as identity primary key,
  -- Segments of one message have all of these in common.
  number_id int not null, gateway_id int not null, client_id int, sender text not null,
  reference int not null,
  total smallint not null check (total between 2 and 255),
  -- Its records in the order of the segments, null for one that is missing; and when they were created.
  record_ids bigint[] not null, created_ats timestamptz[] not null,
  last_at timestamptz not null, -- When the last segment so far was created.
  due_at timestamptz not null, -- When it ends although segments are missing.
  ended_at timestamptz, -- When it was complete, or its time was over; null while it is open.
  -- The transaction that ended it: its place in the log, for programs that poll. Null while it is open.
  ended_xid xid8,
  created_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table long_messages is 'A long message, from its first segment on. [traffic]';
create index long_messages_key_idx on long_messages (number_id, sender, reference, last_at);
create index long_messages_due_idx on long_messages (due_at) where ended_at is null;
create index long_messages_ended_idx on long_messages (ended_at) where ended_at is not null;
create index long_messages_log_idx on long_messages (ended_xid, id) where ended_xid is not null;
create index long_messages_client_log_idx on long_messages (client_id, ended_xid, id) where ended_xid is not null;

create table record_times (
  record_id bigint primary key, record_created_at timestamptz not null,
  deliver_at timestamptz, -- Not to be delivered before (schedule_delivery_time); null for at once.
  expires_at timestamptz, -- Not to be delivered after (validity_period); null for the usual time.
  check (deliver_at is not null or expires_at is not null)
);
comment on table record_times is 'The times of a message that waits for its client. It goes when the message has been delivered or its time is over. [passing]';
create index record_times_over_idx on record_times (coalesce(expires_at, deliver_at));

create table analytics_mails (
  id int generated always as identity primary key,
  user_id int not null references users on delete cascade, name text not null,
  every text not null check (every in ('day', 'week', 'month')),
  look jsonb not null,
  next_on date not null, -- The UTC day on which the next one is sent.
  unique (user_id, name)
);
comment on table analytics_mails is 'A view of Analytics that is mailed to who made it. `look` is JSON of the contract: filters and dimensions. [people]';
create index analytics_mails_next_idx on analytics_mails (next_on, id);
