-- Closing: what keeps a close waiting, and accounts that a close had to leave out.

-- Why due cycles are not closed, for staff; no row, or one that was not seen for a minute: nothing waits.
create table close_waits (
  only_row boolean primary key default true check (only_row),
  -- clock: node and database differ; chain: both differ from the chain's newest block; behind: too many cycles are due.
  cause text not null check (cause in ('clock', 'chain', 'behind')),
  explanation text not null,
  cycle_count int not null,
  since timestamptz not null,
  seen_at timestamptz not null
);

-- A person's word that cycles which end by then may be closed. Never a word on the clocks of node and database.
create table close_words (
  id bigint generated always as identity primary key,
  ends_by timestamptz not null,
  reason text not null check (reason <> ''),
  given_by int not null references users,
  given_at timestamptz not null
);

-- Accounts that could not be closed with the others, such as one whose sums are beyond what a bill can hold. They are
-- parked, and their close is tried again.
create table unclosed_accounts (
  cycle_id int not null references cycles,
  user_id int not null references users,
  -- What is missing: the bill and all that follows, or its lines and payouts.
  step text not null check (step in ('bill', 'items')),
  reason text not null,
  noted_at timestamptz not null,
  primary key (cycle_id, user_id)
);
create index unclosed_accounts_user_idx on unclosed_accounts (user_id);

-- The record lines of statements, whole and compressed: records go after RECORD_MONTHS, statements stay for ten years.
create table statement_archives (
  cycle_id int not null,
  user_id int not null,
  -- From 0; each has 5,000 record lines, the last one fewer.
  piece int not null,
  -- A gzip member. The pieces in their order are one gzip file.
  content bytea not null,
  primary key (cycle_id, user_id, piece)
);
alter table statement_archives alter content set storage external;

alter table statements
  -- When its first record was received; null for one without records, or not archived yet.
  add column first_record_at timestamptz,
  -- SHA-256 and size in bytes of the whole file, as it is downloaded.
  add column file_hash bytea,
  add column file_size bigint,
  -- When its pieces were complete.
  add column archived_at timestamptz;
create index statements_unarchived_idx on statements (cycle_id, user_id) where archived_at is null;

-- Cycles that need their records no more: everybody is billed and itemised, and every statement is signed and archived.
create or replace view settled_cycles as
  select c.id from cycles c join cycle_bills b on b.cycle_id = c.id
  where c.closed_at is not null and b.itemised_at is not null and b.sealed_at is not null
    and not exists (select from unclosed_accounts n where n.cycle_id = c.id)
    and not exists (select from statements s where s.cycle_id = c.id and s.archived_at is null);

-- Held records that nothing waits for any more: refused, by a decision that a signed statement names.
create view refused_records as
  select p.record_id from hold_records p join holds h on h.id = p.hold_id
  where h.status = 'confirmed' and h.decided_cycle_id in (select id from settled_cycles);

-- As before, but a refused hold keeps its week no longer.
create or replace function drop_record_week(parent text, week date) returns text language plpgsql security definer as $$
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
      'select exists (
         select from %I r
         where r.cycle_id not in (select id from settled_cycles)
           or r.is_held and not exists (select from refused_records d where d.record_id = r.id))',
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
do $$ begin
  execute format('alter function drop_record_week(text, date) set search_path = %I, pg_temp', current_schema());
end $$;
