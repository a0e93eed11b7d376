-- Guards of money: changes of settings that wait for a second admin, and what one person has moved alone.

-- At most one waits for each setting.
create table setting_changes (
  id bigint generated always as identity primary key,
  key text not null,
  value text not null,
  status text not null default 'pending' check (status in ('pending', 'begun', 'cancelled')),
  requested_by int not null references users,
  requested_at timestamptz not null,
  -- The earliest time at which it begins once it is approved, and the time at which it begins where nobody can approve it.
  begins_at timestamptz not null,
  begins_alone_at timestamptz not null,
  approved_by int references users,
  approved_at timestamptz,
  -- Null with a time: the gateway ended it.
  ended_by int references users,
  ended_at timestamptz,
  check ((approved_by is null) = (approved_at is null)),
  check (approved_by <> requested_by),
  check ((status = 'pending') = (ended_at is null))
);
create unique index setting_changes_pending_key on setting_changes (key) where status = 'pending';

-- What a person did with money without a second one. The limit counts a person's sum of 24 hours.
create table money_acts (
  id bigint generated always as identity primary key,
  actor_id int not null references users,
  -- Whose account.
  user_id int not null references users,
  -- What it was about, as `bill 3-17` or `hold 5`. Of several acts about one thing the largest counts.
  subject text not null,
  amount_micro bigint not null check (amount_micro >= 0),
  at timestamptz not null
);
create index money_acts_actor_idx on money_acts (actor_id, at);
create trigger money_acts_append_only before update or delete on money_acts
  for each statement execute function refuse_change();
create trigger money_acts_no_truncate before truncate on money_acts
  for each statement execute function refuse_change();

-- What is done about bills before they are paid.
create table bill_amendments (
  id bigint generated always as identity primary key,
  cycle_id int not null,
  user_id int not null references users,
  kind text not null check (kind in ('withhold', 'resume', 'void', 'credit_note', 'readdress')),
  status text not null default 'pending' check (status in ('pending', 'done', 'rejected')),
  -- What a credit note or a voiding takes off.
  amount_micro bigint check (amount_micro > 0),
  -- The messages that a credit note holds for review, and the holds that were made for them.
  message_ids text[] not null default '{}',
  hold_ids bigint[] not null default '{}',
  usdt_address text,
  former_address text,
  reason text not null check (reason <> ''),
  -- What the client reads.
  client_reason text not null default '',
  requested_by int not null references users,
  requested_at timestamptz not null,
  -- Before this time nobody can accept it.
  acceptable_from timestamptz not null,
  decided_by int references users,
  decided_at timestamptz,
  decision_reason text not null default '',
  foreign key (cycle_id, user_id) references billing_periods,
  check ((status = 'pending') = (decided_at is null)),
  check ((kind in ('void', 'credit_note')) = (amount_micro is not null)),
  check ((kind = 'readdress') = (usdt_address is not null))
);
create index bill_amendments_bill_idx on bill_amendments (cycle_id, user_id, id);
create unique index bill_amendments_pending_key on bill_amendments (cycle_id, user_id) where status = 'pending';

alter table billing_periods
  add withheld_at timestamptz,
  drop constraint billing_periods_status_check,
  add constraint billing_periods_status_check check (status in ('sent_to_support', 'paid', 'failed', 'void'));
drop index billing_periods_unpaid_idx;
create index billing_periods_unpaid_idx on billing_periods (cycle_id desc, user_id) where status not in ('paid', 'void');

-- A void bill is settled too. Nothing is paid for what is withheld or waits for an amendment.
create or replace view debts as
  select 'bill'::text as kind, cycle_id || '-' || user_id as reference, cycle_id, user_id, null::bigint as payout_id,
    total_micro, received_micro, set_off_micro, reduced_micro, excess_micro, due_micro, usdt_address, payable_from, payment_id,
    bill_sent_at as owed_since, status in ('paid', 'void') as is_settled, paid_at as settled_at,
    withheld_at is not null or exists (
      select from bill_amendments a where a.cycle_id = b.cycle_id and a.user_id = b.user_id and a.status = 'pending'
    ) as is_stopped
  from billing_periods b
  union all
  select 'payout', 'payout-' || id, cycle_id, user_id, id,
    amount_micro, received_micro, set_off_micro, reduced_micro, excess_micro, due_micro, usdt_address, payable_from, payment_id,
    created_at, status = 'completed', processed_at, false
  from payouts;
