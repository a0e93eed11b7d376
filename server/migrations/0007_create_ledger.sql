-- Ledger: the settlement cycles, and double entries: only added, each transaction sums to zero. Money is whole millionths.

create table cycles (
  id int generated always as identity primary key,
  starts_at timestamptz not null unique,
  ends_at timestamptz not null, closed_at timestamptz,
  check (ends_at > starts_at)
);
comment on table cycles is 'A settlement cycle of seven days. At most one is open; records settle in the one that is open when they commit. [money]';
create unique index cycles_one_open on cycles ((closed_at is null)) where closed_at is null;

-- Numbers ledger transactions and, among them, batches of records.
create sequence transaction_ids;

create table ledger_lines (
  id bigint generated always as identity (sequence name ledger_ids) primary key,
  transaction_id bigint not null,
  at timestamptz not null default now(),
  cycle_id int not null, user_id int,
  amount_micro bigint not null,
  account text not null check (
    account in ('payable', 'held', 'reserved', 'billed', 'paid', 'credit', 'traffic_expense', 'payout_clearing', 'adjustment')),
  settlement smallint not null default 1,
  kind text not null,
  reference text,
  actor_id int,
  reason text
);
comment on table ledger_lines is 'A line of the ledger, for everything but traffic. Positive is credit, negative is debit. [money]';
create index ledger_lines_cycle_idx on ledger_lines (cycle_id) where kind <> 'traffic';
create index ledger_lines_user_idx on ledger_lines (user_id, cycle_id) where kind <> 'traffic';
create index ledger_lines_reserved_idx on ledger_lines (cycle_id, user_id) include (amount_micro) where account = 'reserved';
create index ledger_lines_credit_idx on ledger_lines (user_id) include (amount_micro) where account = 'credit';
-- For the lines of some days. The table is only added to, in the order of time: an entry for each hundred pages is enough.
create index ledger_lines_at_idx on ledger_lines using brin (at) with (autosummarize = on);
create trigger ledger_lines_append_only before update or delete or truncate on ledger_lines execute function refuse_change();

create function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added group by transaction_id having sum(amount_micro) <> 0) then
    raise exception 'a ledger transaction does not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_lines_balanced after insert on ledger_lines
  referencing new table as added for each statement execute function refuse_unbalanced();

create table ledger_batches (
  -- From the sequence of the lines, so that one number says how far the whole ledger was read.
  id bigint primary key default nextval('ledger_ids'),
  transaction_id bigint not null,
  at timestamptz not null default now(),
  cycle_id int not null,
  -- An element for each client and kind of settlement: credit in `payable`. Their sum is the debit that balances them.
  user_ids int[] not null, settlements smallint[] not null, amounts_micro bigint[] not null,
  check (cardinality(user_ids) = cardinality(amounts_micro) and cardinality(settlements) = cardinality(amounts_micro))
) with (toast_tuple_target = 8160);
comment on table ledger_batches is 'What a batch of messages earns its clients: arrays instead of a line for each client (decision 12). [traffic]';
alter table ledger_batches
  alter user_ids set storage external, alter settlements set storage external, alter amounts_micro set storage external;
create index ledger_batches_at_idx on ledger_batches using brin (at) with (autosummarize = on);
create trigger ledger_batches_append_only before update or delete or truncate on ledger_batches execute function refuse_change();

-- The whole ledger, line by line.
create view ledger_entries as
  select id, transaction_id, at, cycle_id, user_id, amount_micro, account, settlement, kind, reference, actor_id, reason
  from ledger_lines
  union all
  select b.id, b.transaction_id, b.at, b.cycle_id, e.user_id, e.amount_micro, 'payable'::text, e.settlement,
    'traffic'::text, null::text, null::int, null::text
  from ledger_batches b, unnest(b.user_ids, b.settlements, b.amounts_micro) e (user_id, settlement, amount_micro)
  union all
  select id, transaction_id, at, cycle_id, null::int,
    -(select sum(amount_micro) from unnest(amounts_micro) amount_micro)::bigint, 'traffic_expense'::text, 0::smallint,
    'traffic'::text, null::text, null::int, null::text
  from ledger_batches;

-- The traffic gate, first step of each batch of messages: waits while somebody changes the catalog or closes the cycle,
-- and undoes the batch (TG001) if what it was priced with has changed meanwhile. An import adds numbers and changes none,
-- so a batch passes when every change since its catalog version was an import. The function is volatile, so its query
-- sees what was committed during the wait.
create function enter_traffic_gate(expected_version bigint, expected_cycle int) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7001);
  if not exists (
    select from catalog, cycles
    where cycles.id = expected_cycle and closed_at is null and (version = expected_version
      or version - expected_version = (select count(*) from number_imports where catalog_version > expected_version))
  ) then
    raise exception 'the catalog or the cycle has moved on' using errcode = 'TG001';
  end if;
end $$;
