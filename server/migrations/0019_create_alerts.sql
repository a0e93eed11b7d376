-- Alerts: rules by which people are notified, what they have reported, and who deals with what.

create table alert_acknowledgements (
  key text primary key, -- The key of the alert. The row goes with the alert.
  acknowledged_by int not null references users, acknowledged_at timestamptz not null,
  until timestamptz, -- Null: until it gets worse or goes away.
  -- How bad it was: a worse one is told again.
  severity text not null check (severity in ('notice', 'warning', 'critical'))
);
comment on table alert_acknowledgements is 'Somebody deals with an alert. [passing]';

create table alert_rules (
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  kinds text[] not null, -- Empty: every kind.
  min_severity text not null check (min_severity in ('notice', 'warning', 'critical')),
  threshold bigint not null check (threshold > 0),
  -- Only alerts about this one; empty for all.
  scope_kind text not null default '' check (scope_kind in ('', 'connection', 'provider', 'account', 'range')),
  scope_id int not null default 0,
  for_minutes int not null check (for_minutes >= 0),
  repeat_minutes int not null check (repeat_minutes >= 0), -- 0: never again.
  in_console boolean not null, mail_to text[] not null,
  endpoint_id int references endpoints on delete set null,
  quiet_from time, quiet_to time,
  time_zone text not null,
  is_on boolean not null,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null, -- Since when it stores what fits it as it is now.
  check ((quiet_from is null) = (quiet_to is null))
);
comment on table alert_rules is 'By what and when people are told of alerts. [settings]';

create table rule_alerts (
  id bigint generated always as identity primary key,
  rule_id bigint not null references alert_rules on delete cascade, key text not null,
  kind text not null, severity text not null,
  name text not null, what text not null,
  words jsonb, -- Name and text as template and values, so that each person reads them in the own language.
  about jsonb not null default '{}',
  largest_count bigint, -- The most that was counted; null where nothing is.
  seen_at timestamptz not null,
  opened_at timestamptz, -- When it had lasted long enough; null before.
  notified_at timestamptz, -- When console and the other ways were last notified.
  sent_at timestamptz, -- When mail and webhook were last told; null while they wait for the end of the quiet hours.
  gone_at timestamptz, recovered_at timestamptz,
  owes_recovery boolean not null default false, -- Mail and webhook have still to be told that it is over.
  notified_count int not null default 0
);
comment on table rule_alerts is 'An alert that fits a rule, from when it is seen until it has been gone for a minute. [acts]';
-- Two nodes that see the same alert open it once.
create unique index rule_alerts_open_key on rule_alerts (rule_id, key) where recovered_at is null;
create index rule_alerts_owing_idx on rule_alerts (id) where owes_recovery;
create index rule_alerts_recovered_idx on rule_alerts (recovered_at);

create table notifications (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  event text not null check (event in ('opened', 'repeated', 'recovered')),
  kind text not null, severity text not null,
  name text not null, what text not null,
  words jsonb,
  key text not null
);
comment on table notifications is 'What rules reported in the console. Each person has read it up to one of them. [acts]';
create table notification_readers (
  user_id int primary key references users on delete cascade, read_up_to bigint not null
);
comment on table notification_readers is 'Up to where a person has read the notifications. [people]';

-- Written by objects. The type and id are those of the audit log.
create table object_notes (
  id bigint generated always as identity primary key,
  object_type text not null, object_id text not null, author_id int not null references users,
  text text not null check (text <> '' and length(text) <= 2000),
  created_at timestamptz not null default clock_timestamp()
);
comment on table object_notes is 'What staff note about one object. [acts]';
create index object_notes_object_idx on object_notes (object_type, object_id, id desc);
