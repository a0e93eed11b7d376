-- Billing: payment profiles, bills, payouts, payments and their transfers, corrections, statements, closing, parking.

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
comment on table payment_profiles is 'Where a client is paid to. [people]';

-- Lines and payouts are written after the close, outside the traffic gate; statements after that.
create table cycle_bills (
  cycle_id int primary key references cycles,
  itemised_at timestamptz, signed_at timestamptz,
  invoices_at timestamptz -- Null while bills of the cycle may lack an invoice that could be issued.
);
comment on table cycle_bills is 'A closed cycle, and how far its bills are made. [money]';
create index cycle_bills_waiting_idx on cycle_bills (cycle_id) where itemised_at is null;
create index cycle_bills_unsigned_idx on cycle_bills (cycle_id) where signed_at is null;

-- What a client sees as if it were not held: of a cycle without bills, until the client is told. Its figures have these sums
-- added back. Once there are bills nothing is: they leave out what is held.
create view untold_sums as
  select s.* from hold_sums s join cycles c on c.id = s.cycle_id
  where not exists (select from cycle_bills b where b.cycle_id = c.id) and not is_told(s.told_from)
    and (s.record_count <> 0 or s.open_count <> 0);
comment on view untold_sums is 'Of hold_sums what clients are not told yet.';

-- What each client earned in an open cycle by number and rate. A job adds it up behind the traffic, so that a close need
-- not read the records. Rows are deleted once the cycle's bills have their lines. 0 stands for no client or no rate.
create table record_line_sums (
  cycle_id int not null, client_id int not null, number_id int not null, rate_id int not null,
  settlement smallint not null,
  record_count bigint not null, amount_micro bigint not null,
  primary key (cycle_id, client_id, number_id, rate_id, settlement)
) with (fillfactor = 70);
comment on table record_line_sums is 'What a client earned in an open cycle by number and rate. [passing]';

create table billing_periods (
  cycle_id int not null references cycles, user_id int not null references users,
  sms_count bigint not null check (sms_count >= 0),
  total_micro bigint not null check (total_micro > 0),
  received_micro bigint not null default 0 check (received_micro >= 0),
  set_off_micro bigint not null default 0 check (set_off_micro >= 0), -- By the client's credit and debts.
  -- Without money: what the client waived, and credit notes.
  reduced_micro bigint not null default 0 check (reduced_micro >= 0),
  -- What was received beyond the debt and is decided on: the client's credit now, or written off.
  excess_micro bigint not null default 0 check (excess_micro >= 0),
  due_micro bigint not null generated always as
    (greatest(0, total_micro - received_micro - set_off_micro - reduced_micro)) stored,
  usdt_address text, -- As it was at the close, or the client's first one if it had none then.
  status text not null default 'sent_to_support' check (status in ('sent_to_support', 'paid', 'failed', 'void')),
  bill_sent_at timestamptz not null, payable_from timestamptz not null,
  withheld_at timestamptz, paid_at timestamptz,
  payment_id bigint, -- The payment under way, or the one that paid it, or the last refused one.
  primary key (cycle_id, user_id),
  check ((status = 'paid') = (paid_at is not null)), check (status <> 'paid' or due_micro = 0)
);
comment on table billing_periods is 'A bill: one for each client and closed cycle. [money]';
create index billing_periods_user_idx on billing_periods (user_id, cycle_id desc);
create index billing_periods_unpaid_idx on billing_periods (cycle_id desc, user_id) where status not in ('paid', 'void');
-- Staff sort years of bills by amount or count. The second column is the key that a page goes on from.
create index billing_periods_total_idx on billing_periods (total_micro, (cycle_id::bigint * 2147483648 + user_id));
create index billing_periods_count_idx on billing_periods (sms_count, (cycle_id::bigint * 2147483648 + user_id));

create table billing_lines (
  id bigint generated always as identity primary key,
  cycle_id int not null, user_id int not null,
  number_id int references numbers, -- Null: an adjustment.
  rate_id int references rates,
  sms_count bigint not null,
  amount_micro bigint not null,
  foreign key (cycle_id, user_id) references billing_periods
);
comment on table billing_lines is 'A line of a bill. [money]';
create unique index billing_lines_key on billing_lines (cycle_id, user_id, number_id, rate_id) nulls not distinct;

-- Kept of a bill before it is made, by the terms of the client, and put into a later bill when its time has come.
create table reserves (
  cycle_id int not null references cycles, user_id int not null references users,
  amount_micro bigint not null check (amount_micro > 0),
  release_at timestamptz not null,
  -- When it was released, and the cycle that was open then.
  released_at timestamptz, released_cycle_id int references cycles,
  primary key (cycle_id, user_id),
  check ((released_at is null) = (released_cycle_id is null))
);
comment on table reserves is 'What is kept of a client''s cycle for some time. [money]';
create index reserves_due_idx on reserves (release_at) where released_at is null;
create index reserves_user_idx on reserves (user_id, cycle_id desc);

create table payouts (
  id bigint generated always as identity primary key,
  cycle_id int not null references cycles, user_id int not null references users,
  number_id int not null references numbers,
  sms_count bigint not null check (sms_count > 0),
  amount_micro bigint not null check (amount_micro > 0),
  -- As in billing_periods.
  received_micro bigint not null default 0 check (received_micro >= 0),
  set_off_micro bigint not null default 0 check (set_off_micro >= 0),
  reduced_micro bigint not null default 0 check (reduced_micro >= 0),
  excess_micro bigint not null default 0 check (excess_micro >= 0),
  due_micro bigint not null generated always as
    (greatest(0, amount_micro - received_micro - set_off_micro - reduced_micro)) stored,
  usdt_address text,
  status text not null default 'pending' check (status in ('pending', 'completed')),
  processed_at timestamptz,
  payment_id bigint,
  payable_from timestamptz not null, created_at timestamptz not null,
  unique (cycle_id, number_id, user_id),
  check ((status = 'completed') = (processed_at is not null)),
  check (status <> 'completed' or due_micro = 0)
);
comment on table payouts is 'What one number with its own price earned its holder in a cycle. [money]';
create index payouts_created_at_idx on payouts (created_at desc, id desc);
create index payouts_unpaid_idx on payouts (id desc) where status = 'pending';
create index payouts_unpaid_user_idx on payouts (user_id) where status = 'pending';
-- A client's own list of payouts, and who has any.
create index payouts_user_idx on payouts (user_id, cycle_id desc);

create table bill_amendments (
  id bigint generated always as identity primary key,
  cycle_id int not null, user_id int not null references users,
  kind text not null check (kind in ('withhold', 'resume', 'void', 'credit_note', 'readdress')),
  status text not null default 'pending' check (status in ('pending', 'done', 'rejected')),
  amount_micro bigint check (amount_micro > 0), -- What a credit note or a voiding takes off.
  -- The messages that a credit note holds for review, and the holds that were made for them.
  message_ids text[] not null default '{}', hold_ids bigint[] not null default '{}',
  -- Of a case of traffic integrity, whose messages it holds: the gateway's own, while the case holds them pending.
  case_id bigint references integrity_cases,
  usdt_address text, former_address text,
  reason text not null check (reason <> ''),
  client_reason text not null default '', -- What the client reads.
  requested_by int references users, -- Null: the gateway.
  requested_at timestamptz not null,
  acceptable_from timestamptz not null, -- Before this time nobody can accept it.
  decided_by int references users, decided_at timestamptz, decision_reason text not null default '',
  foreign key (cycle_id, user_id) references billing_periods,
  check ((status = 'pending') = (decided_at is null)),
  check ((kind in ('void', 'credit_note')) = (amount_micro is not null)),
  -- The gateway holds by cases, and withholds above a client's terms.
  check (requested_by is not null or case_id is not null or kind = 'withhold'),
  check (requested_by is null or case_id is null),
  check ((kind = 'readdress') = (usdt_address is not null))
);
comment on table bill_amendments is 'What is done about a bill before it is paid. [money]';
create index bill_amendments_bill_idx on bill_amendments (cycle_id, user_id, id);
create unique index bill_amendments_pending_key on bill_amendments (cycle_id, user_id) where status = 'pending';
create index bill_amendments_credits_idx on bill_amendments (id) where status = 'done' and kind in ('credit_note', 'void');

-- Clients of whom messages are being held now, or will be taken off bills the next morning. Nothing is paid to them meanwhile.
create view clients_being_held as
  select distinct client_id as user_id from integrity_cases where apply_from is not null or billed_from is not null;

-- Bills and payouts in one shape: what the platform owes to clients. A void bill is settled too. Nothing is paid for what is withheld or waits for an amendment.
create view debts as
  select 'bill'::text as kind, cycle_id || '-' || user_id as reference, cycle_id, user_id, null::bigint as payout_id,
    total_micro, received_micro, set_off_micro, reduced_micro, excess_micro, due_micro, usdt_address, payable_from, payment_id,
    bill_sent_at as owed_since, status in ('paid', 'void') as is_settled, paid_at as settled_at,
    withheld_at is not null or exists (
      select from bill_amendments a where a.cycle_id = b.cycle_id and a.user_id = b.user_id and a.status = 'pending'
    ) or user_id in (select user_id from clients_being_held) as is_stopped
  from billing_periods b
  union all
  select 'payout', 'payout-' || id, cycle_id, user_id, id,
    amount_micro, received_micro, set_off_micro, reduced_micro, excess_micro, due_micro, usdt_address, payable_from, payment_id,
    created_at, status = 'completed', processed_at, user_id in (select user_id from clients_being_held)
  from payouts;

create table payments (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  amount_micro bigint not null check (amount_micro > 0),
  -- What arrived: by the chain, or by the word of a person when nothing can be looked up.
  received_micro bigint not null default 0 check (received_micro >= 0),
  usdt_address text not null default '',
  transaction_hash text check (transaction_hash ~ '^[0-9a-f]{64}$'), -- Lower case.
  -- One transaction may contain transfers for several bills. Each payment has a position of its own under the hash: 0
  -- without asking the chain, another one only when the chain shows a transfer for it.
  hash_place smallint not null default 0,
  status text not null check (status in ('pending', 'confirmed', 'failed')),
  verification text check (verification in ('unverified', 'confirming', 'verified', 'underpaid', 'overpaid', 'rejected')),
  verification_note text not null default '',
  -- Why a person decided about it, for staff alone. The client reads the note of the check, too.
  decision_reason text not null default '',
  -- Above the limit: waits until somebody other than requested_by enters the same hash.
  awaits_approval boolean not null default false,
  -- What somebody wants to do about a payment of another amount, while it waits for a second person.
  proposed_decision text check (proposed_decision in ('waive', 'credit', 'reject')),
  proposed_by int references users, proposed_reason text not null default '', proposed_at timestamptz,
  requested_by int references users,
  processed_by int references users,
  notes text not null default '',
  -- What it pays; both null for a payment outside bills and payouts.
  cycle_id int, payout_id bigint references payouts,
  -- A mistyped transaction hash is replaced by a new payment of the same bill or payout: the one that took its place. The one
  -- with the old hash stays, and is looked up as before, so that a transfer which turns up under it is booked.
  replaced_with bigint references payments,
  next_check_at timestamptz,
  check_count int not null default 0,
  created_at timestamptz not null,
  foreign key (cycle_id, user_id) references billing_periods,
  check (cycle_id is null or payout_id is null),
  check ((proposed_decision is null) = (proposed_by is null) and (proposed_by is null) = (proposed_at is null)),
  check (replaced_with <> id)
);
comment on table payments is 'A payment of a bill or a payout, or one outside both. [money]';
-- One transfer pays once. A refused payment frees its hash: the hash was a slip, and its transfer may be for another bill.
create unique index payments_transaction_hash_key on payments (transaction_hash, hash_place) where status <> 'failed';
-- Several payments may belong to one bill. Those under way take turns by the lock on the bill.
create index payments_period_idx on payments (cycle_id, user_id) where cycle_id is not null;
create index payments_payout_idx on payments (payout_id) where payout_id is not null;
create unique index payments_replaced_with_key on payments (replaced_with) where replaced_with is not null;
create index payments_created_at_idx on payments (created_at desc, id desc);
create index payments_amount_idx on payments (amount_micro, id);
create index payments_check_idx on payments (next_check_at) where next_check_at is not null;
-- From the first characters of a hash.
create index payments_hash_prefix_idx on payments (transaction_hash text_pattern_ops) where transaction_hash is not null;

create table transfers (
  id bigint generated always as identity primary key,
  network text not null, -- The token's contract. Each network has its own.
  txid text not null check (txid ~ '^[0-9a-f]{64}$'),
  log_index int not null,
  from_address text not null, to_address text not null,
  amount_micro bigint not null check (amount_micro >= 0),
  block_at timestamptz not null, is_final boolean not null,
  first_seen_at timestamptz not null,
  -- How much of it is booked to payments. The check refuses to book it twice, whoever races.
  booked_micro bigint not null default 0 check (booked_micro between 0 and amount_micro),
  unique (network, txid, log_index)
);
comment on table transfers is 'A transfer of USDT that concerns us. [money]';
create index transfers_unbooked_idx on transfers (id) where booked_micro < amount_micro;
create index transfers_to_idx on transfers (to_address, block_at);
create index transfers_from_idx on transfers (network, from_address, block_at);
-- From the first characters of a transaction's hash.
create index transfers_txid_prefix_idx on transfers (txid text_pattern_ops);

create table payment_transfers (
  payment_id bigint not null references payments, transfer_id bigint not null references transfers,
  amount_micro bigint not null check (amount_micro >= 0),
  primary key (payment_id, transfer_id)
);
comment on table payment_transfers is 'Which part of a transfer is booked to which payment. [money]';
create index payment_transfers_transfer_idx on payment_transfers (transfer_id);

create table client_credits (
  user_id int primary key references users,
  amount_micro bigint not null check (amount_micro >= 0)
);
comment on table client_credits is 'What a client has received beyond every debt. It is set off against later ones. [people]';

-- By the client's credit, or by what the client owed from the closed cycle before. A bill where payout_id is null.
create table set_offs (
  id bigint generated always as identity primary key,
  source text not null check (source in ('carry', 'credit')),
  cycle_id int not null, user_id int not null references users,
  payout_id bigint references payouts,
  amount_micro bigint not null check (amount_micro > 0),
  at timestamptz not null
);
comment on table set_offs is 'What lowered a bill or a payout without a payment. [money]';
create index set_offs_user_idx on set_offs (user_id, cycle_id);

create table money_acts (
  id bigint generated always as identity primary key,
  actor_id int not null references users,
  user_id int not null references users, -- Whose account.
  -- What it was about, as `bill 3-17` or `hold 5`. Of several acts about one thing the largest counts.
  subject text not null,
  amount_micro bigint not null check (amount_micro >= 0),
  at timestamptz not null
);
comment on table money_acts is 'What a person did with money without a second one. The limit counts a person''s sum of 24 hours. [money]';
create index money_acts_actor_idx on money_acts (actor_id, at);
create trigger money_acts_append_only before update or delete or truncate on money_acts execute function refuse_change();

create table adjustments (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  amount_micro bigint not null check (amount_micro <> 0),
  reason text not null check (reason <> ''),
  reference text not null default '', -- What it is about: a bill, a payout, a record; empty for none.
  status text not null check (status in ('pending', 'posted', 'rejected')),
  requested_by int not null references users,
  decided_by int references users, decision_reason text not null default '',
  cycle_id int references cycles, -- The cycle whose bill it counts in.
  created_at timestamptz not null, decided_at timestamptz,
  -- The holding of this number is to begin at held_from instead of at held_to; it does once the adjustment is posted. Null
  -- in all four where none is backdated.
  number_id int references numbers,
  held_from timestamptz, held_to timestamptz,
  -- How many messages it credits. Those of a rejected one are in adjustment_records no longer.
  record_count int check (record_count > 0),
  check ((status = 'posted') = (cycle_id is not null)), check (held_to > held_from),
  check (num_nulls(number_id, held_from, held_to, record_count) in (0, 4))
);
comment on table adjustments is 'A correction of what a client is owed. Above the limit it waits for a second person; a posted one is in the ledger. [money]';
create index adjustments_user_idx on adjustments (user_id, id desc);
create index adjustments_number_idx on adjustments (number_id) where number_id is not null;

create table adjustment_records (
  adjustment_id bigint not null references adjustments, record_created_at timestamptz not null,
  record_id bigint not null unique,
  cycle_id int not null references cycles, -- The cycle in which the message came.
  rate_id int not null references rates,
  amount_micro bigint not null check (amount_micro > 0),
  primary key (adjustment_id, record_created_at, record_id)
);
comment on table adjustment_records is 'A message that an adjustment credits: received while nobody held its number. It is credited once. [money]';

-- One for each client and closed cycle. The lines of the records are made anew from the records whenever the statement is
-- read, so a record that was changed since does not fit the signed chain any more.
create table statements (
  cycle_id int not null references cycles, user_id int not null references users,
  preamble text not null, -- The lines before the records, as they were signed.
  closing text not null, -- The last line, with the head of the chain and the signature.
  record_count bigint not null,
  -- Lines of released and refused messages, after the records. They are in the archive alone.
  decided_count bigint not null default 0,
  -- The chain after every 1000th record, 32 bytes each: they say where a changed record is.
  checkpoints bytea not null,
  signed_at timestamptz not null,
  first_record_at timestamptz, -- When its first record was received; null for one without records.
  file_hash bytea not null, -- SHA-256 of the whole file, as it is downloaded.
  -- A subscriber's number was erased from its records, so that they do not fit what was signed: it is read from its archive.
  has_erased boolean not null default false,
  primary key (cycle_id, user_id)
);
comment on table statements is 'The signed statement of a client and closed cycle, without the lines of its messages. [money]';
-- A client's own statements, for the periods that came to no bill.
create index statements_user_idx on statements (user_id, cycle_id);

create table statement_archives (
  cycle_id int not null, user_id int not null,
  piece int not null, -- From 0; each has 5,000 record lines, the last one fewer.
  content bytea not null, -- A gzip member. The pieces in their order are one gzip file.
  primary key (cycle_id, user_id, piece)
);
comment on table statement_archives is 'A piece of a statement''s record lines, compressed: records go after RECORD_MONTHS, statements stay for ten years. [money]';
alter table statement_archives alter content set storage external;

create table parked_accounts (
  user_id int primary key references users,
  reason text not null,
  words jsonb, -- The reason as template and values, so that each person reads it in the own language.
  parked_at timestamptz not null
);
comment on table parked_accounts is 'An account whose ledger did not balance at the last check: it gets no money until it does. [passing]';

create table close_waits (
  only_row boolean primary key default true check (only_row),
  -- clock: node and database differ; chain: both differ from the chain's newest block; behind: too many cycles are due.
  cause text not null check (cause in ('clock', 'chain', 'behind')),
  explanation text not null,
  words jsonb, -- The same as template and values.
  cycle_count int not null,
  since timestamptz not null, seen_at timestamptz not null
);
comment on table close_waits is 'Why due cycles are not closed, for staff; no row, or one that was not seen for a minute: nothing waits. [passing]';

create table close_words (
  id bigint generated always as identity primary key,
  ends_by timestamptz not null,
  reason text not null check (reason <> ''),
  given_by int not null references users, given_at timestamptz not null
);
comment on table close_words is 'A person''s word that cycles which end by then may be closed. Never a word on the clocks of node and database. [money]';

-- Such as one whose sums are beyond what a bill can hold. It is parked, and its close is tried again.
create table unclosed_accounts (
  cycle_id int not null references cycles, user_id int not null references users,
  -- What is missing: the bill and all that follows, or its lines and payouts.
  step text not null check (step in ('bill', 'items')),
  reason text not null,
  noted_at timestamptz not null,
  primary key (cycle_id, user_id)
);
comment on table unclosed_accounts is 'An account that could not be closed with the others. [passing]';
create index unclosed_accounts_user_idx on unclosed_accounts (user_id);

-- Cycles that need their records no more: everybody is billed and itemised, and every statement is signed.
create view settled_cycles as
  select c.id from cycles c join cycle_bills b on b.cycle_id = c.id
  where c.closed_at is not null and b.itemised_at is not null and b.signed_at is not null
    and not exists (select from unclosed_accounts n where n.cycle_id = c.id);

-- Those of them whose bills are all paid or void.
create view paid_cycles as
  select id from settled_cycles c
  where not exists (select from billing_periods p where p.cycle_id = c.id and p.status not in ('paid', 'void'));

-- Held records that nothing waits for any more: refused, by a decision that a signed statement names.
create view refused_records as
  select record_id from hold_records
  where outcome = 'confirmed' and decided_cycle_id in (select id from settled_cycles);

create table ledger_checks (
  only_row boolean primary key default true check (only_row),
  checked_at timestamptz not null,
  imbalance_micro numeric not null
);
comment on table ledger_checks is 'What the last check of the ledger found, for nodes that do not check themselves. [settings]';
