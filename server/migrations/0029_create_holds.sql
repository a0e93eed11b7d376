-- Records that are held from billing until a person has looked at them, and what a correction refers to.

create table holds (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  number_id int not null references numbers,
  -- Why: the rule's name, and one sentence for whoever reviews it.
  rule text not null,
  explanation text not null,
  score int not null,
  -- Sums of its records, as they were stored.
  amount_micro bigint not null check (amount_micro >= 0),
  record_count int not null check (record_count > 0),
  -- open: waits; released: its amount counts again; confirmed: it is never paid.
  status text not null default 'open' check (status in ('open', 'released', 'confirmed')),
  -- Above the limit: what one person asked for, until a second one says the same.
  asked_action text check (asked_action in ('release', 'confirm')),
  asked_by int references users,
  asked_at timestamptz,
  asked_reason text not null default '',
  decided_by int references users,
  decided_at timestamptz,
  decision_reason text not null default '',
  created_at timestamptz not null,
  check ((asked_action is null) = (asked_by is null)),
  check ((status = 'open') = (decided_at is null))
);
create index holds_open_idx on holds (id desc) where status = 'open';
create index holds_user_idx on holds (user_id, id desc);

-- A record is held once; what was decided is final.
create table hold_records (
  record_id bigint primary key,
  record_created_at timestamptz not null,
  hold_id bigint not null references holds,
  -- The cycle it settles in, and how.
  cycle_id int not null,
  settlement smallint not null,
  amount_micro bigint not null
);
create index hold_records_hold_idx on hold_records (hold_id);

-- What a correction is about: a bill, a payout, a record; empty for none.
alter table adjustments add column reference text not null default '';

-- Repetitions that were marked before holds were written down. Those of the open cycle wait for their review; what a
-- closed cycle has billed already stays billed, and is held no more.
with repeated as (
  select r.created_at, r.id, r.client_id, r.number_id, r.cycle_id, r.settlement, r.amount_micro, c.closed_at
  from duplicate_records d
  join records r on r.created_at = d.record_created_at and r.id = d.record_id
  join cycles c on c.id = r.cycle_id
  where r.is_held and r.client_id is not null
),
numbered as (
  select repeated.*, nextval(pg_get_serial_sequence('holds', 'id')) as hold_id, nextval('transaction_ids') as transaction_id
  from repeated
),
held as (
  insert into holds (id, user_id, number_id, rule, explanation, score, amount_micro, record_count, status, decided_at,
    decision_reason, created_at)
  overriding system value
  select hold_id, client_id, number_id, 'duplicate', 'The same message came again after its answer may have been lost.',
    60, amount_micro, 1, case when closed_at is null then 'open' else 'released' end, closed_at,
    case when closed_at is null then '' else 'Billed when its period closed.' end, created_at
  from numbered
),
listed as (
  insert into hold_records (record_id, record_created_at, hold_id, cycle_id, settlement, amount_micro)
  select id, created_at, hold_id, cycle_id, settlement, amount_micro from numbered
),
freed as (
  update records r set is_held = false from numbered n
  where r.created_at = n.created_at and r.id = n.id and n.closed_at is not null
)
insert into ledger_entries (transaction_id, cycle_id, user_id, account, amount_micro, settlement, kind, reference, reason)
select transaction_id, cycle_id, client_id, side.account, side.sign * amount_micro, settlement, 'hold', hold_id::text,
  'The same message came again'
from numbered, (values ('payable', -1), ('held', 1)) as side (account, sign)
where closed_at is null and amount_micro > 0;
