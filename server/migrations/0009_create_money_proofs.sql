-- What makes a repeated call harmless, corrections of accounts, statements that can be checked, and parked accounts.

-- Answers of calls that carried an Idempotency-Key, kept for a day in the transaction that did the work.
create table idempotency_keys (
  user_id int not null references users on delete cascade,
  key text not null,
  -- SHA-256 of what was asked: one key is for one call.
  call_hash bytea not null,
  -- Null only inside the transaction that does the work.
  answer jsonb,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

-- Corrections of what a client is owed. Above the limit one waits for a second person; posted ones are ledger lines.
create table adjustments (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  amount_micro bigint not null check (amount_micro <> 0),
  reason text not null check (reason <> ''),
  status text not null check (status in ('pending', 'posted', 'rejected')),
  requested_by int not null references users,
  decided_by int references users,
  decision_reason text not null default '',
  -- The cycle whose bill it counts in.
  cycle_id int references cycles,
  created_at timestamptz not null,
  decided_at timestamptz,
  check ((status = 'posted') = (cycle_id is not null))
);
create index adjustments_user_idx on adjustments (user_id, id desc);

-- One for each client and closed cycle. The records' own lines are made anew from the records whenever it is read, so
-- a record that was changed since does not fit the chain any more.
create table statements (
  cycle_id int not null references cycles,
  user_id int not null references users,
  -- The lines before the records, as they were signed.
  preamble text not null,
  -- The last line, with the head of the chain and the signature.
  closing text not null,
  record_count bigint not null,
  -- The chain after every 1000th record, 32 bytes each: they say where a changed record is.
  checkpoints bytea not null,
  sealed_at timestamptz not null,
  primary key (cycle_id, user_id)
);
alter table cycle_bills add column sealed_at timestamptz;
create index cycle_bills_unsealed_idx on cycle_bills (cycle_id) where sealed_at is null;

-- Accounts whose ledger did not balance at the last check: they get no money until it does.
create table parked_accounts (
  user_id int primary key references users,
  reason text not null,
  parked_at timestamptz not null
);

-- What the last check of the ledger found, for nodes that do not check themselves.
create table ledger_checks (
  only_row boolean primary key default true check (only_row),
  checked_at timestamptz not null,
  imbalance_micro numeric not null
);
