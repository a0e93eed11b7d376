-- Records that are handed on over SMPP to the clients' own binds, and receipts to the suppliers who asked for them.

-- Clients that take their records over SMPP: who has bound to receive, until the wait for the next bind is over.
create table bind_receivers (
  user_id int primary key references users,
  -- Of the records' log everything up to here was taken or has a row in bind_deliveries.
  place text not null,
  -- Beyond it, these were taken already.
  taken_ids bigint[] not null default '{}',
  last_bound_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- What did not go its usual way: records that a client refused or did not answer in time, and every receipt.
create table bind_deliveries (
  id bigint generated always as identity primary key,
  -- To whom.
  user_id int not null references users,
  kind text not null check (kind in ('record', 'receipt')),
  record_created_at timestamptz not null,
  record_id bigint not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null default clock_timestamp(),
  last_attempt_at timestamptz,
  error text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  -- One receipt for each record, whatever happens to it later.
  unique (record_id, kind)
) with (fillfactor = 80);
create index bind_deliveries_due_idx on bind_deliveries (user_id, next_attempt_at) where status = 'pending';
create index bind_deliveries_done_idx on bind_deliveries (created_at) where status <> 'pending';

-- How far the log of records has been turned into receipts.
create table receipt_progress (
  is_only boolean primary key default true check (is_only),
  place text not null
);
insert into receipt_progress (place) values (pg_snapshot_xmin(pg_current_snapshot())::text);
