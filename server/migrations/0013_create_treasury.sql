-- Treasury: what left our wallets on chain, whether anybody knows what for, the daily proof, and payment runs.

create table treasury_readings (
  network text not null, -- The token's contract; it names the chain too.
  address text not null,
  reads_from timestamptz not null, -- Earlier transfers were never read.
  read_to timestamptz not null, -- Every transfer that the node lists up to here is noted.
  resumes_at timestamptz, -- A list that was too long for one turn goes on here; null when its end was seen.
  read_at timestamptz, -- When the end of the list was last seen.
  next_read_at timestamptz not null,
  -- Why the last read failed, and since when reads fail; empty and null when it did not.
  fault text not null default '', fault_count int not null default 0, failing_since timestamptz,
  primary key (network, address)
);
comment on table treasury_readings is 'How far the transfers of a wallet of ours are listed. A change of the wallets or of the token begins anew. [settings]';

create table treasury_candidates (
  network text not null,
  txid text not null check (txid ~ '^[0-9a-f]{64}$'),
  -- Whether the node listed it, or a person named it for a line of a payment run. Only the daily proof of wallet and ledger
  -- waits for what the node listed: a mistyped hash has no receipt, ever.
  is_listed boolean not null default false,
  listed_at timestamptz not null, next_look_at timestamptz not null,
  look_count int not null default 0,
  primary key (network, txid)
);
comment on table treasury_candidates is 'A transaction that the node lists, until its receipt is there. Only the receipt counts. [passing]';
create index treasury_candidates_look_idx on treasury_candidates (next_look_at);

create table treasury_proofs (
  id bigint generated always as identity primary key,
  network text not null,
  proved_from timestamptz not null, proved_at timestamptz not null,
  wallets text[] not null,
  -- Of all our wallets together, in irreversible blocks. numeric: a node may say anything.
  balance_micro numeric not null,
  sent_micro bigint not null, -- Left our wallets for somebody else's.
  -- Of it: booked on debts or as a client's credit; explained by a person.
  booked_micro bigint not null, explained_micro bigint not null,
  ledger_micro bigint not null, -- What the ledger says was paid.
  -- By how much the balance fell beyond what was read as sent since the proof before; 0 when it did not.
  unread_micro numeric not null check (unread_micro >= 0)
);
comment on table treasury_proofs is 'Whether wallet and ledger agree, once a day and whenever somebody asks. Amounts are sums since proved_from. [money]';
create index treasury_proofs_newest_idx on treasury_proofs (network, id desc);

-- Which debts it paid, or why it pays none. Above the limit a second person agrees first.
create table transfer_decisions (
  id bigint generated always as identity primary key,
  transfer_id bigint not null references transfers,
  kind text not null check (kind in ('match', 'explain')),
  -- The debts that it paid; empty when it paid none.
  debt_references text[] not null check ((kind = 'match') = (cardinality(debt_references) > 0)),
  reason text not null check (reason <> ''),
  status text not null check (status in ('pending', 'done', 'refused')),
  requested_by int not null references users, requested_at timestamptz not null,
  decided_by int references users, decided_at timestamptz,
  check ((status = 'pending') = (decided_at is null))
);
comment on table transfer_decisions is 'What a person says about a transfer that no payment of ours asked for. [money]';
-- One at a time; a transfer is explained once.
create unique index transfer_decisions_key on transfer_decisions (transfer_id)
  where status = 'pending' or (status = 'done' and kind = 'explain');
create index transfer_decisions_transfer_idx on transfer_decisions (transfer_id);

create table payment_runs (
  id bigint generated always as identity primary key,
  status text not null check (status in ('draft', 'approved', 'exported', 'closed', 'cancelled')),
  note text not null default '',
  drafted_by int not null references users, drafted_at timestamptz not null,
  approved_by int references users, approved_at timestamptz,
  exported_by int references users, exported_at timestamptz,
  closed_by int references users, -- closed_by is null when the last transfer closed it.
  closed_at timestamptz, close_reason text not null default '',
  check (approved_by <> drafted_by),
  check (status not in ('approved', 'exported', 'closed') or approved_at is not null),
  check ((status in ('closed', 'cancelled')) = (closed_at is not null))
);
comment on table payment_runs is 'What is paid together, agreed by two persons before anything leaves the wallet. [money]';
create index payment_runs_live_idx on payment_runs (id) where status not in ('closed', 'cancelled');

create table payment_run_lines (
  id bigint generated always as identity primary key,
  run_id bigint not null references payment_runs, user_id int not null references users,
  address text not null,
  amount_micro bigint not null check (amount_micro > 0),
  held_micro bigint not null, address_since timestamptz, -- What was known at the draft, for those who approve.
  warnings text[] not null,
  warning_words jsonb, -- The warnings as templates and values.
  -- As a person brought it back from the wallet; the reader needs none.
  transaction_hash text check (transaction_hash ~ '^[0-9a-f]{64}$'),
  transfer_id bigint references transfers
);
comment on table payment_run_lines is 'One transfer that a run makes: to one client, for one or several of its debts. [money]';
create index payment_run_lines_run_idx on payment_run_lines (run_id, id);
create unique index payment_run_lines_transfer_key on payment_run_lines (transfer_id) where transfer_id is not null;
-- Whether another line names the hash as well.
create index payment_run_lines_hash_idx on payment_run_lines (transaction_hash)
  where transaction_hash is not null and transfer_id is null;

create table payment_run_debts (
  line_id bigint not null references payment_run_lines,
  run_id bigint not null references payment_runs,
  reference text not null, -- As in the view debts: 3-17, payout-5.
  due_micro bigint not null check (due_micro > 0),
  -- False once the run has ended: what is left of the debt may go into another one.
  is_live boolean not null default true,
  primary key (line_id, reference)
);
comment on table payment_run_debts is 'A debt that a line of a run pays. [money]';
-- A debt is in one run at a time, whoever races: two runs would pay it twice.
create unique index payment_run_debts_live_key on payment_run_debts (reference) where is_live;
create index payment_run_debts_run_idx on payment_run_debts (run_id);
