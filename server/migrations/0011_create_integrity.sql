-- Integrity: records that are held from billing until a person has looked at them.

create table holds (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  number_id int not null references numbers,
  -- Why: the rule's name, and one sentence for the person who reviews it.
  rule text not null,
  explanation text not null,
  -- The same as template and values, so that each person reads it in the own language.
  words jsonb,
  score int not null,
  -- Sums over its records, as they were stored.
  amount_micro bigint not null check (amount_micro >= 0),
  record_count int not null check (record_count > 0),
  -- open: waits; released: its amount counts again; confirmed: it is never paid.
  status text not null default 'open' check (status in ('open', 'released', 'confirmed')),
  -- Above the limit it takes two persons: what the first one requested.
  requested_action text check (requested_action in ('release', 'confirm')),
  requested_by int references users,
  requested_at timestamptz,
  requested_reason text not null default '',
  decided_by int references users,
  decided_at timestamptz,
  -- The cycle that was open at the decision. Its statement and the lines of its bill name the messages.
  decided_cycle_id int references cycles,
  decision_reason text not null default '',
  created_at timestamptz not null,
  check ((requested_action is null) = (requested_by is null)),
  check ((status = 'open') = (decided_at is null))
);
comment on table holds is 'Records of a client that are not billed until a person has looked at them. [money]';
create index holds_open_idx on holds (id desc) where status = 'open';
create index holds_user_idx on holds (user_id, id desc);
create index holds_number_idx on holds (number_id, id desc);
create index holds_decided_idx on holds (decided_cycle_id, user_id) where decided_cycle_id is not null;

create table hold_records (
  record_id bigint primary key,
  record_created_at timestamptz not null,
  hold_id bigint not null references holds,
  -- The cycle it settles in, and how.
  cycle_id int not null,
  settlement smallint not null,
  amount_micro bigint not null
);
comment on table hold_records is 'A held record. A record is held once at most; a decision is final. [money]';
create index hold_records_hold_idx on hold_records (hold_id);
