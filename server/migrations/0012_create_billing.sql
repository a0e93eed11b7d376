-- Billing: payment profiles, bills, payouts, the payments of both, corrections, statements, and accounts that are parked.

create table payment_profiles (
  user_id int primary key references users on delete cascade,
  full_name text not null default '',
  email text not null default '',
  usdt_address text,
  -- A changed address and when it comes into force: a stolen session must not redirect the next payment at once.
  next_address text,
  next_from timestamptz,
  updated_at timestamptz not null default now(),
  check ((next_address is null) = (next_from is null))
);

-- One row for each closed cycle. Lines and payouts are written after the close, outside the traffic gate; statements
-- after that.
create table cycle_bills (
  cycle_id int primary key references cycles,
  itemised_at timestamptz,
  sealed_at timestamptz
);
create index cycle_bills_waiting_idx on cycle_bills (cycle_id) where itemised_at is null;
create index cycle_bills_unsealed_idx on cycle_bills (cycle_id) where sealed_at is null;

-- Cycles whose bills are made and itemised: a record in one of them is settled unless it is held.
create view settled_cycles as
  select c.id from cycles c join cycle_bills b on b.cycle_id = c.id
  where c.closed_at is not null and b.itemised_at is not null;

-- What was held when its cycle closed, hence is in neither bill nor payout of that cycle. Noted in full, because a hold may
-- be released before the bills are made, which happens after the traffic gate is open again.
create table cycle_held_records (
  cycle_id int not null references cycles,
  record_id bigint not null,
  client_id int,
  number_id int,
  rate_id int,
  settlement smallint,
  amount_micro bigint,
  primary key (cycle_id, record_id)
);

-- What each client earned in an open cycle by number and rate. A job adds it up behind the traffic, so that a close need
-- not read the records. Rows are deleted once the cycle's bills have their lines. 0 stands for no client or no rate.
create table record_line_sums (
  cycle_id int not null,
  client_id int not null,
  number_id int not null,
  rate_id int not null,
  settlement smallint not null,
  record_count bigint not null,
  amount_micro bigint not null,
  primary key (cycle_id, client_id, number_id, rate_id, settlement)
) with (fillfactor = 70);

-- Up to which batch of the log it is added up.
create table record_line_position (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null,
  batch bigint not null
);
insert into record_line_position (xid, batch) values ('0', 0);

-- Bills: one for each client and closed cycle.
create table billing_periods (
  cycle_id int not null references cycles,
  user_id int not null references users,
  sms_count bigint not null check (sms_count >= 0),
  total_micro bigint not null check (total_micro > 0),
  -- As it was at the close, or the client's first one if it had none then.
  usdt_address text,
  status text not null default 'sent_to_support' check (status in ('sent_to_support', 'paid', 'failed')),
  bill_sent_at timestamptz not null,
  payable_from timestamptz not null,
  paid_at timestamptz,
  -- The payment under way, or the one that paid it, or the last refused one.
  payment_id bigint,
  primary key (cycle_id, user_id),
  check ((status = 'paid') = (paid_at is not null))
);
create index billing_periods_user_idx on billing_periods (user_id, cycle_id desc);
create index billing_periods_unpaid_idx on billing_periods (cycle_id desc, user_id) where status <> 'paid';
-- Staff sort years of bills by amount or count. The second column is the key that a page goes on from.
create index billing_periods_total_idx on billing_periods (total_micro, (cycle_id::bigint * 2147483648 + user_id));
create index billing_periods_count_idx on billing_periods (sms_count, (cycle_id::bigint * 2147483648 + user_id));

create table billing_lines (
  id bigint generated always as identity primary key,
  cycle_id int not null,
  user_id int not null,
  -- Null: an adjustment.
  number_id int references numbers,
  rate_id int references rates,
  sms_count bigint not null,
  amount_micro bigint not null,
  foreign key (cycle_id, user_id) references billing_periods
);
create unique index billing_lines_key on billing_lines (cycle_id, user_id, number_id, rate_id) nulls not distinct;

-- One for each number with its own price, holder and cycle.
create table payouts (
  id bigint generated always as identity primary key,
  cycle_id int not null references cycles,
  user_id int not null references users,
  number_id int not null references numbers,
  sms_count bigint not null check (sms_count > 0),
  amount_micro bigint not null check (amount_micro > 0),
  usdt_address text,
  status text not null default 'pending' check (status in ('pending', 'completed')),
  processed_at timestamptz,
  payment_id bigint,
  created_at timestamptz not null,
  unique (cycle_id, number_id, user_id),
  check ((status = 'completed') = (processed_at is not null))
);
create index payouts_created_at_idx on payouts (created_at desc, id desc);
create index payouts_unpaid_idx on payouts (id desc) where status = 'pending';

create table payments (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  amount_micro bigint not null check (amount_micro > 0),
  usdt_address text not null default '',
  -- Lower case.
  transaction_hash text check (transaction_hash ~ '^[0-9a-f]{64}$'),
  -- One transaction may contain transfers for several bills. Each payment has a position of its own under the hash: 0
  -- without asking the chain, another one only when the chain shows a transfer for it.
  hash_place smallint not null default 0,
  status text not null check (status in ('pending', 'confirmed', 'failed')),
  verification text
    check (verification in ('unverified', 'confirming', 'verified', 'underpaid', 'overpaid', 'rejected')),
  verification_note text not null default '',
  -- Above the limit: waits until somebody other than requested_by enters the same hash.
  awaits_approval boolean not null default false,
  requested_by int references users,
  processed_by int references users,
  notes text not null default '',
  -- What it pays; both null for a payment outside bills and payouts.
  cycle_id int,
  payout_id bigint references payouts,
  next_check_at timestamptz,
  check_count int not null default 0,
  created_at timestamptz not null,
  foreign key (cycle_id, user_id) references billing_periods,
  check (cycle_id is null or payout_id is null)
);
-- One transfer pays once. A refused payment frees its hash: the hash was a slip, and its transfer may be for another bill.
create unique index payments_transaction_hash_key on payments (transaction_hash, hash_place) where status <> 'failed';
-- At most one payment under way or done for a bill or a payout. Underpaid and overpaid ones leave room for the right one.
create unique index payments_period_key on payments (cycle_id, user_id)
  where cycle_id is not null and status <> 'failed' and coalesce(verification, '') not in ('underpaid', 'overpaid');
create unique index payments_payout_key on payments (payout_id)
  where payout_id is not null and status <> 'failed' and coalesce(verification, '') not in ('underpaid', 'overpaid');
create index payments_created_at_idx on payments (created_at desc, id desc);
create index payments_amount_idx on payments (amount_micro, id);
create index payments_check_idx on payments (next_check_at) where next_check_at is not null;

-- Transfers seen on chain, each claimed by one payment. Two transfers of one transaction differ by their log index.
create table claimed_transfers (
  network text not null,
  txid text not null,
  log_index int not null,
  payment_id bigint not null references payments,
  primary key (network, txid, log_index)
);

-- Corrections of what a client is owed. Above the limit one waits for a second person; posted ones are ledger lines.
create table adjustments (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  amount_micro bigint not null check (amount_micro <> 0),
  reason text not null check (reason <> ''),
  -- What it is about: a bill, a payout, a record; empty for none.
  reference text not null default '',
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

-- One for each client and closed cycle. The lines of the records are made anew from the records whenever the statement is
-- read, so a record that was changed since does not fit the signed chain any more.
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
-- A client's own statements, for the periods that came to no bill.
create index statements_user_idx on statements (user_id, cycle_id);

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
