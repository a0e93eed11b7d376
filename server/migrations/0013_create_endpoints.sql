-- Endpoints: HTTP addresses that records are delivered to as signed webhooks, and what is or was delivered to each.

create table endpoints (
  id int generated always as identity primary key,
  -- The client whose records alone go there; null sends everybody's.
  user_id int references users,
  name text not null,
  url text not null,
  method text not null check (method in ('POST', 'GET', 'PUT', 'DELETE')),
  sealed_secret bytea not null,
  -- The secret before, which also signs until `former_until`, so that a receiver may change over without a gap.
  former_sealed_secret bytea,
  former_until timestamptz,
  -- Requests a minute.
  rate_limit int not null check (rate_limit > 0),
  status text not null check (status in ('active', 'inactive', 'maintenance')),
  status_reason text not null default '',
  failing_since timestamptz,
  -- Records of transactions below it were finished before the address was switched on: they are not sent.
  since_xid xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
  -- When everything that failed may be sent again; the wait grows with how much the last time sent.
  replay_due_at timestamptz not null default '-infinity',
  last_used_at timestamptz,
  request_count bigint not null default 0,
  success_count bigint not null default 0,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index endpoints_user_id_idx on endpoints (user_id);

-- How far the log of records has been turned into deliveries.
create table endpoint_progress (
  is_only boolean primary key default true check (is_only),
  place text not null
);
insert into endpoint_progress (place) values ('0');

create table endpoint_deliveries (
  id bigint generated always as identity primary key,
  endpoint_id int not null references endpoints on delete cascade,
  type text not null check (type in ('record.created', 'record.updated', 'endpoint.test')),
  -- Null for a test.
  record_created_at timestamptz,
  record_id bigint,
  -- The network's delivery report that this delivery carries.
  no_report smallint not null default 0,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz,
  response_status int,
  error text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 80);
create index endpoint_deliveries_due_idx on endpoint_deliveries (endpoint_id, next_attempt_at, id)
  where status = 'pending';
create index endpoint_deliveries_list_idx on endpoint_deliveries (endpoint_id, id);
create index endpoint_deliveries_record_idx on endpoint_deliveries (record_id);
create index endpoint_deliveries_used_idx on endpoint_deliveries (endpoint_id, last_attempt_at);

-- What happened to endpoints. What people did to them is in the audit log. A name instead of a reference: the history of a
-- deleted endpoint stays for as long as events are kept.
create table endpoint_events (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  endpoint_id int not null,
  name text not null,
  event text not null check (event in ('failing', 'recovered', 'switched_off')),
  detail text not null
);
create index endpoint_events_at_idx on endpoint_events (at desc, id desc);
