-- The program runs as a role that owns nothing (decision 76). What it must do as the owner, it does through functions that
-- run as the owner and check what they are asked.

-- Makes the week's partitions (Monday 00:00 UTC to Monday) that hold `at`; harmless when they are there.
create or replace function ensure_record_week(at timestamptz) returns void language plpgsql security definer as $$
declare
  week_start timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  week_end timestamptz := week_start + interval '7 days';
  suffix text := to_char(week_start at time zone 'UTC', 'YYYYMMDD');
begin
  -- Whoever may call this must not be able to make tables without end.
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

-- Cycles whose bills are made and itemised: what is in one of them, and not held, is settled.
create view settled_cycles as
  select c.id from cycles c join cycle_bills b on b.cycle_id = c.id
  where c.closed_at is not null and b.itemised_at is not null;

-- Drops the partition of `parent` (records or record_batches) that begins at `week`. Gives 'gone', or 'kept' for one that
-- holds money that is not settled, or batches that the search tables lack or that older records need. Nobody writes to
-- the week while it is looked at, so nothing can slip in before it goes. Who calls sets lock_timeout.
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

revoke execute on function ensure_record_week(timestamptz), drop_record_week(text, date) from public;

-- What they name is found where it was made, and not where a caller says; pg_catalog always comes first.
do $$
declare each regprocedure;
begin
  foreach each in array array['ensure_record_week(timestamptz)', 'drop_record_week(text, date)']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', each, current_schema());
  end loop;
end $$;

-- Gives a role what the program needs at run time, and takes away what is more. The owner runs it at each start, as
-- migrations add tables. Harmless when nothing is to be done: it writes nothing then.
create function grant_to_application(application text) returns void language plpgsql as $$
declare
  every constant text[] := array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];
  each record;
  has text[];
begin
  perform pg_advisory_xact_lock(hashtext('grant_to_application'));
  for each in
    select c.oid, c.oid::regclass as name, c.relkind, case
        when c.relkind = 'S' then array['SELECT', 'USAGE']
        -- Reached through the tables they are part of.
        when c.relispartition and c.relname <> 'records_default' then '{}'
        when c.relname = 'records_default' then array['SELECT', 'DELETE']
        when c.relname in ('records', 'record_batches') then array['SELECT', 'INSERT', 'UPDATE']
        when c.relname = 'schema_migrations' then array['SELECT']
        when c.relname = 'audit_head' then array['SELECT', 'UPDATE']
        -- Append-only: what its trigger refuses is not granted either.
        when exists (
          select from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = to_regproc('refuse_change')
        ) or c.relkind = 'v' or c.relname = 'audit_keys' then array['SELECT', 'INSERT']
        else array['SELECT', 'INSERT', 'UPDATE', 'DELETE']
      end as wanted
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
      and pg_has_role(c.relowner, 'USAGE') and not pg_has_role(application, c.relowner, 'USAGE')
  loop
    if each.relkind = 'S' then
      has := array(select p from unnest(array['SELECT', 'UPDATE', 'USAGE']) p where has_sequence_privilege(application, each.oid, p));
    else
      has := array(select p from unnest(every) p where has_table_privilege(application, each.oid, p));
    end if;
    continue when has @> each.wanted and each.wanted @> has;
    execute format('revoke all on %s %s from %I', case when each.relkind = 'S' then 'sequence' else 'table' end, each.name, application);
    if cardinality(each.wanted) > 0 then
      execute format('grant %s on %s %s to %I', array_to_string(each.wanted, ', '),
        case when each.relkind = 'S' then 'sequence' else 'table' end, each.name, application);
    end if;
  end loop;
  if not has_schema_privilege(application, current_schema(), 'USAGE') then
    execute format('grant usage on schema %I to %I', current_schema(), application);
  end if;
  if not has_column_privilege(application, 'audit_keys', 'sealed', 'UPDATE') then
    -- The rotation of SECRET_KEY seals them anew.
    execute format('grant update (sealed) on audit_keys to %I', application);
  end if;
  if not has_function_privilege(application, 'drop_record_week(text, date)', 'EXECUTE') then
    execute format('grant execute on function ensure_record_week(timestamptz), drop_record_week(text, date) to %I', application);
  end if;
  perform let_vacuum_tallies(application);
end $$;

-- The tallies come and go with each batch, and are vacuumed by who folds them. Before PostgreSQL 17 only their owner may.
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
