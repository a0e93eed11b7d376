-- Payment profiles, bills, payouts and the payments that settle them.

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

-- One row for each closed cycle. Lines and payouts are written after the close, outside the traffic gate.
create table cycle_bills (
  cycle_id int primary key references cycles,
  itemised_at timestamptz
);
create index cycle_bills_waiting_idx on cycle_bills (cycle_id) where itemised_at is null;

-- What was held when its cycle closed, hence is in neither bill nor payout of that cycle.
create table cycle_held_records (
  cycle_id int not null references cycles,
  record_id bigint not null,
  primary key (cycle_id, record_id)
);
create index records_held_idx on records (cycle_id, client_id) where is_held;
create index ledger_entries_cycle_idx on ledger_entries (cycle_id) where kind <> 'traffic';

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

-- One for each own-price number, holder and cycle.
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
  status text not null check (status in ('pending', 'confirmed', 'failed')),
  verification text
    check (verification in ('unverified', 'confirming', 'verified', 'underpaid', 'overpaid', 'rejected')),
  verification_note text not null default '',
  -- Above the limit: waits until somebody other than requested_by gives the same hash.
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
-- One transfer pays once. A refused payment frees its hash: it was a slip, and the transfer may be for another bill.
create unique index payments_transaction_hash_key on payments (transaction_hash) where status <> 'failed';
create index payments_created_at_idx on payments (created_at desc, id desc);
create index payments_check_idx on payments (next_check_at) where next_check_at is not null;
-- At most one payment under way or done for a bill or a payout. Underpaid and overpaid ones leave room for the right one.
create unique index payments_period_key on payments (cycle_id, user_id)
  where cycle_id is not null and status <> 'failed' and coalesce(verification, '') not in ('underpaid', 'overpaid');
create unique index payments_payout_key on payments (payout_id)
  where payout_id is not null and status <> 'failed' and coalesce(verification, '') not in ('underpaid', 'overpaid');

-- Transfers seen on chain, each claimed by one payment: two transfers of one transaction differ by their log index.
create table claimed_transfers (
  network text not null,
  txid text not null,
  log_index int not null,
  payment_id bigint not null references payments,
  primary key (network, txid, log_index)
);
