-- CDR: records that leave as files (decision 78).

create table cdr_schedules (
  id int generated always as identity primary key,
  name text not null,
  every text not null check (every in ('hour', 'day', 'archive')),
  format text not null check (format in ('csv', 'parquet')),
  columns text not null, -- Names of columns with commas between them.
  -- Only this client's or this supplier's records; null: everybody's.
  client_id int references users, gateway_id int references gateways,
  destination jsonb not null, -- JSON of the contract: where files go, without the secret.
  encrypted_secret bytea,
  is_paused boolean not null default false,
  position xid8 not null default log_horizon(), -- All records of transactions below it are in files.
  period_from timestamptz not null, period_to timestamptz not null, -- The period of the next file.
  next_sequence int not null default 1,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  check (period_from < period_to)
);
comment on table cdr_schedules is 'By what records leave as files, how often, and where to. [people]';
create unique index cdr_schedules_name_key on cdr_schedules (lower(name));

create table cdr_files (
  id bigint generated always as identity primary key,
  schedule_id int not null references cdr_schedules on delete cascade, sequence int not null,
  name text not null,
  format text not null, columns text not null,
  client_id int references users, gateway_id int references gateways,
  period_from timestamptz not null, period_to timestamptz not null,
  -- The records of transactions from one id to below the other, and how many were stored by them, for everybody.
  from_xid xid8, to_xid xid8, stored_count bigint,
  archived_week date, -- Of an archive: the Monday of the week; the file has what was received in its period.
  -- Of an archive that was written: the sum of its records' updated_at in microseconds, by which retention sees that a
  -- record has changed since.
  updated_sum numeric,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'incomplete')),
  record_count bigint, size_bytes bigint,
  sha256 text,
  attempts int not null default 0,
  failing_since timestamptz, error text not null default '',
  next_attempt_at timestamptz not null default clock_timestamp(), delivered_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  unique (schedule_id, sequence),
  check ((archived_week is null) = (from_xid is not null and to_xid is not null and stored_count is not null))
);
comment on table cdr_files is 'A file of records. What it is to contain is fixed when its row is made; what it did contain is known once it was written. [traffic]';
create index cdr_files_waiting_idx on cdr_files (schedule_id, sequence) where state = 'waiting';
create index cdr_files_list_idx on cdr_files (schedule_id, id);
create index cdr_files_week_idx on cdr_files (archived_week) where archived_week is not null;

-- Weeks of records that a schedule has archived in whole: a file for each day is at the destination, and was read back there.
create view archived_weeks as
  select archived_week as week, sum(record_count) as record_count, sum(updated_sum) as updated_sum
  from cdr_files where archived_week is not null and state = 'delivered'
  group by schedule_id, archived_week having count(*) = 7;
