-- What arrived on the chain is what is booked: transfers as facts, the payments they are booked to, what each bill and
-- payout still waits for, and what a client has received beyond all that.

-- Transfers of USDT that concern us.
create table transfers (
  id bigint generated always as identity primary key,
  -- The token's contract. Each network has its own.
  network text not null,
  txid text not null check (txid ~ '^[0-9a-f]{64}$'),
  log_index int not null,
  from_address text not null,
  to_address text not null,
  amount_micro bigint not null check (amount_micro >= 0),
  block_at timestamptz not null,
  is_final boolean not null,
  first_seen_at timestamptz not null,
  -- How much of it is booked to payments. The check refuses to book it twice, whoever races.
  booked_micro bigint not null default 0 check (booked_micro between 0 and amount_micro),
  unique (network, txid, log_index)
);
create index transfers_unbooked_idx on transfers (id) where booked_micro < amount_micro;
create index transfers_to_idx on transfers (to_address, block_at);

-- Which part of a transfer is booked to which payment.
create table payment_transfers (
  payment_id bigint not null references payments,
  transfer_id bigint not null references transfers,
  amount_micro bigint not null check (amount_micro >= 0),
  primary key (payment_id, transfer_id)
);
create index payment_transfers_transfer_idx on payment_transfers (transfer_id);

alter table payments
  -- What arrived: by the chain, or by the word of a person when nothing can be looked up.
  add received_micro bigint not null default 0 check (received_micro >= 0),
  -- What somebody wants to do about a payment of another amount, while it waits for a second person.
  add proposed_decision text check (proposed_decision in ('waive', 'credit', 'reject')),
  add proposed_by int references users,
  add proposed_reason text not null default '',
  add proposed_at timestamptz,
  add check ((proposed_decision is null) = (proposed_by is null) and (proposed_by is null) = (proposed_at is null));
-- Several payments may belong to one bill. Those under way take turns by the lock on the bill.
drop index payments_period_key;
drop index payments_payout_key;
create index payments_period_idx on payments (cycle_id, user_id) where cycle_id is not null;
create index payments_payout_idx on payments (payout_id) where payout_id is not null;

-- A paid bill or payout had one payment of its whole amount.
alter table billing_periods add received_micro bigint not null default 0 check (received_micro >= 0);
alter table payouts add received_micro bigint not null default 0 check (received_micro >= 0), add payable_from timestamptz;
update billing_periods set received_micro = total_micro where status = 'paid';
update payouts set received_micro = case status when 'completed' then amount_micro else 0 end, payable_from = created_at;
update payments set received_micro = amount_micro where status = 'confirmed';
alter table billing_periods
  -- By the client's credit and debts.
  add set_off_micro bigint not null default 0 check (set_off_micro >= 0),
  -- Without money: what the client waived, and credit notes.
  add reduced_micro bigint not null default 0 check (reduced_micro >= 0),
  -- What was received beyond the debt and is decided on: the client's credit now, or written off.
  add excess_micro bigint not null default 0 check (excess_micro >= 0),
  add due_micro bigint not null generated always as
    (greatest(0, total_micro - received_micro - set_off_micro - reduced_micro)) stored,
  add check (status <> 'paid' or due_micro = 0);
alter table payouts
  alter payable_from set not null,
  add set_off_micro bigint not null default 0 check (set_off_micro >= 0),
  add reduced_micro bigint not null default 0 check (reduced_micro >= 0),
  -- What was received beyond the debt and is decided on: the client's credit now, or written off.
  add excess_micro bigint not null default 0 check (excess_micro >= 0),
  add due_micro bigint not null generated always as
    (greatest(0, amount_micro - received_micro - set_off_micro - reduced_micro)) stored,
  add check (status <> 'completed' or due_micro = 0);
create index payouts_unpaid_user_idx on payouts (user_id) where status = 'pending';

-- Bills and payouts in one shape: what the platform owes to clients.
create view debts as
  select 'bill'::text as kind, cycle_id || '-' || user_id as reference, cycle_id, user_id, null::bigint as payout_id,
    total_micro, received_micro, set_off_micro, reduced_micro, excess_micro, due_micro, usdt_address, payable_from, payment_id,
    bill_sent_at as owed_since, status = 'paid' as is_settled, paid_at as settled_at
  from billing_periods
  union all
  select 'payout', 'payout-' || id, cycle_id, user_id, id,
    amount_micro, received_micro, set_off_micro, reduced_micro, excess_micro, due_micro, usdt_address, payable_from, payment_id,
    created_at, status = 'completed', processed_at
  from payouts;

-- What a client has received beyond every debt. It is set off against later ones.
create table client_credits (
  user_id int primary key references users,
  amount_micro bigint not null check (amount_micro >= 0)
);

-- What lowered a bill (payout_id is null) or a payout without a payment: the client's credit, or what the client owed from
-- the closed cycle before.
create table set_offs (
  id bigint generated always as identity primary key,
  source text not null check (source in ('carry', 'credit')),
  cycle_id int not null,
  user_id int not null references users,
  payout_id bigint references payouts,
  amount_micro bigint not null check (amount_micro > 0),
  at timestamptz not null
);
create index set_offs_user_idx on set_offs (user_id, cycle_id);

alter table ledger_lines drop constraint ledger_lines_account_check;
alter table ledger_lines add constraint ledger_lines_account_check check (
  account in ('payable', 'held', 'billed', 'paid', 'credit', 'traffic_expense', 'payout_clearing', 'adjustment'));
create index ledger_lines_credit_idx on ledger_lines (user_id) include (amount_micro) where account = 'credit';

-- The transfers that paid until now. Their sum is known, their parts are not: the first of a payment carries it all, so
-- that none of them can pay again.
with claims as (
  select t.*, y.usdt_address, y.amount_micro, y.created_at, row_number() over (partition by payment_id order by log_index) as place
  from claimed_transfers t join payments y on y.id = t.payment_id where y.status = 'confirmed'
), known as (
  insert into transfers (network, txid, log_index, from_address, to_address, amount_micro, block_at, is_final,
    first_seen_at, booked_micro)
  select network, txid, log_index, '', usdt_address, paid, created_at, true, created_at, paid
  from claims cross join lateral (select case place when 1 then amount_micro else 0 end as paid) sum
  returning id, network, txid, log_index, amount_micro
)
insert into payment_transfers (payment_id, transfer_id, amount_micro)
select c.payment_id, k.id, k.amount_micro from known k join claims c using (network, txid, log_index);
drop table claimed_transfers;
-- What waits for a decision is looked up again, so that it is booked first.
update payments set verification = 'confirming', next_check_at = created_at, verification_note = ''
  where status = 'pending' and verification in ('underpaid', 'overpaid');
