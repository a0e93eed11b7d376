-- Stored messages, their counters, the ledger, and the cycle they settle in.

-- The seven-day settlement cycles. At most one is open; records settle in the one that is open when they commit.
create table cycles (
  id int generated always as identity primary key,
  starts_at timestamptz not null unique,
  ends_at timestamptz not null,
  closed_at timestamptz,
  check (ends_at > starts_at)
);
create unique index cycles_one_open on cycles ((closed_at is null)) where closed_at is null;

-- Names that a record's "gateway" may have. source: 0 smpp, 1 connection, 2 provider, 3 api.
create table gateways (
  id int generated always as identity primary key,
  source smallint not null check (source between 0 and 3),
  name text not null,
  user_id int references users,
  unique (source, name)
);

-- Numbers ledger transactions and, among them, batches of records.
create sequence transaction_ids;

-- One row for each committed batch: the live feed's log and the sealed bodies of its records.
-- A record's id is its batch's id * 4096 + its place in the batch.
create table record_batches (
  id bigint not null,
  stored_at timestamptz not null,
  -- Readers of the feed go in the order of xid: what is below the oldest running transaction is final.
  xid xid8 not null default pg_current_xact_id(),
  record_count smallint not null check (record_count between 1 and 4096),
  created_from timestamptz not null,
  created_to timestamptz not null,
  -- When the batch was priced; stored_at is taken just before the commit.
  priced_at timestamptz not null,
  -- AES-256-GCM over the raw messages (addresses, coding, bytes), the batch id as associated data; null once expired.
  sealed_bodies bytea,
  primary key (stored_at, id)
) partition by range (stored_at);
create index record_batches_xid_idx on record_batches (xid, id);
create index record_batches_id_idx on record_batches (id);
-- What is encrypted cannot be compressed, so the attempt is left out.
alter table record_batches alter column sealed_bodies set storage external;
create table record_batches_default partition of record_batches default;

-- One accepted message part. Codes: contract/src/vocabulary.ts, by position.
create table records (
  created_at timestamptz not null,
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
create index records_client_idx on records (client_id, created_at, id);
create index records_number_idx on records (number_id, created_at, id);
-- Every state but the usual last one (2, completed), so these indexes cost the usual record nothing.
create index records_open_idx on records (status, created_at, id) where status <> 2;
create index records_client_open_idx on records (client_id, status, created_at, id) where status <> 2;
create table records_default partition of records default;

-- Makes the week's partitions (Monday 00:00 UTC to Monday) that hold `at`; harmless when they are there.
create function ensure_record_week(at timestamptz) returns void language plpgsql as $$
declare
  week_start timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  week_end timestamptz := week_start + interval '7 days';
  suffix text := to_char(week_start at time zone 'UTC', 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('ensure_record_week'));
  if to_regclass('records_' || suffix) is null then
    execute format('create table %I partition of records for values from (%L) to (%L)', 'records_' || suffix, week_start, week_end);
  end if;
  if to_regclass('record_batches_' || suffix) is null then
    execute format('create table %I partition of record_batches for values from (%L) to (%L)', 'record_batches_' || suffix, week_start, week_end);
  end if;
end $$;

-- A batch's first step: waits while somebody changes the catalog or closes the cycle, then undoes the batch (TG001) if
-- that happened since it was priced. As the function is volatile, its query sees what was committed during the wait.
create function enter_traffic_gate(expected_version bigint, expected_cycle int) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7001);
  if not exists (
    select from catalog, cycles
    where version = expected_version and cycles.id = expected_cycle and closed_at is null
  ) then
    raise exception 'the catalog or the cycle has moved on' using errcode = 'TG001';
  end if;
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

-- Counters. A transaction that stores or changes records adds its sums here, insert-only, so writers never wait for
-- each other; a background fold moves them into the rollups below. A counter is rollup + tallies.
-- All sums of one transaction are one row: a row for each would cost ingest and the fold several times as much.
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
) with (autovacuum_enabled = off, toast.autovacuum_enabled = off);
-- Rows live for a second: compressing them is not worth it, and the fold vacuums after itself.
alter table record_tally_packs
  alter hours set storage external, alter client_ids set storage external, alter range_ids set storage external,
  alter gateway_ids set storage external, alter kinds set storage external, alter record_counts set storage external,
  alter bills_micro set storage external, alter amounts_micro set storage external;
-- The sums that are not folded yet, one a row.
create view record_tallies as
  select to_timestamp(hour * 3600.0) as hour, client_id, range_id, gateway_id, cycle_id,
    (kind / 8)::smallint as settlement, (kind % 8)::smallint as status, record_count, bill_micro, amount_micro
  from record_tally_packs, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro,
    amounts_micro) as packed (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro);

-- 0 stands for "nobody" or "no range", so that the keys hold no nulls.
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
create index record_days_open_idx on record_days (status, client_id) where status <> 2;

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

-- Kept for the last weeks only: the dashboard's hours and the week strip.
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

-- What each client earned in each cycle, by the way it settles.
create table record_cycles (
  cycle_id int not null,
  client_id int not null,
  settlement smallint not null,
  record_count bigint not null,
  amount_micro bigint not null,
  primary key (cycle_id, client_id, settlement)
) with (fillfactor = 70);

-- Refused messages, counted by day: never a silent drop.
create table refusals (
  day date not null,
  reason text not null,
  number text not null,
  gateway text not null,
  refused_count bigint not null,
  last_at timestamptz not null,
  primary key (day, reason, number, gateway)
);

-- Double entry, insert-only. Positive is credit, negative is debit; each transaction's lines sum to zero.
create table ledger_entries (
  id bigint generated always as identity,
  transaction_id bigint not null,
  at timestamptz not null default now(),
  cycle_id int not null,
  user_id int,
  amount_micro bigint not null,
  account text not null check (account in ('payable', 'held', 'billed', 'paid', 'traffic_expense', 'payout_clearing', 'adjustment')),
  settlement smallint not null default 1,
  kind text not null,
  reference text,
  actor_id int,
  reason text,
  primary key (id)
);
create index ledger_entries_user_idx on ledger_entries (user_id, cycle_id) where kind <> 'traffic';
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_entries_no_truncate before truncate on ledger_entries
  for each statement execute function refuse_change();

create function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added group by transaction_id having sum(amount_micro) <> 0) then
    raise exception 'a ledger transaction does not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_balanced after insert on ledger_entries
  referencing new table as added for each statement execute function refuse_unbalanced();
