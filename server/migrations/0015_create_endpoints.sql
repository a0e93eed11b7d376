-- Endpoints: HTTP addresses that records and other events are delivered to as signed webhooks, and their deliveries.

create table endpoints (
  id int generated always as identity primary key,
  user_id int references users, -- The client whose records alone go there; null sends everybody's.
  name text not null, url text not null,
  method text not null check (method in ('POST', 'GET', 'PUT', 'DELETE')),
  encrypted_secret bytea not null,
  -- The secret before, which also signs until `former_until`, so that a receiver may change over without a gap.
  former_encrypted_secret bytea,
  former_until timestamptz,
  -- What it is told; contract/src/endpoint-deliveries.ts names the types of each. Staff's endpoints may be told of alerts alone.
  events text[] not null default '{message,completed,receipt}' check (
    events <> '{}' and events <@ array['message', 'completed', 'receipt', 'bill', 'payment', 'request', 'alert']),
  verified_at timestamptz, -- When a test last reached the present address.
  rate_limit int not null check (rate_limit > 0), -- Requests a minute.
  status text not null check (status in ('active', 'inactive', 'maintenance')),
  status_reason text not null default '',
  failing_since timestamptz,
  -- Since when it has its status; of an active one that failed before, since the request that succeeded again.
  state_since timestamptz not null default clock_timestamp(),
  -- Records of transactions below it were finished before the address was switched on: they are not sent.
  since_xid xid8 not null default log_horizon(),
  -- When everything that failed may be sent again; the wait grows with how much the last time sent.
  replay_due_at timestamptz not null default '-infinity',
  last_used_at timestamptz,
  request_count bigint not null default 0, success_count bigint not null default 0,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
comment on table endpoints is 'An HTTP address that records and other events are delivered to. [people]';
create index endpoints_user_id_idx on endpoints (user_id);

create table endpoint_deliveries (
  id bigint generated always as identity primary key,
  endpoint_id int not null references endpoints on delete cascade,
  type text not null, -- One of the types of the contract.
  record_created_at timestamptz, record_id bigint, -- Null for what is about no record.
  long_message_id bigint, -- The message that message.completed names instead of a record.
  -- What it is about when it is no record: the id of the bill, payment or request, and what is sent of it.
  subject text not null default '', data jsonb,
  no_report smallint not null default 0, -- The network's delivery report that this delivery carries.
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  first_attempt_at timestamptz, last_attempt_at timestamptz, next_attempt_at timestamptz,
  duration_ms int, response_status int, error text not null default '', -- Of the last attempt.
  created_at timestamptz not null default clock_timestamp(),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 80);
comment on table endpoint_deliveries is 'An event on its way to an endpoint. [traffic]';
create index endpoint_deliveries_due_idx on endpoint_deliveries (endpoint_id, next_attempt_at, id) where status = 'pending';
create index endpoint_deliveries_list_idx on endpoint_deliveries (endpoint_id, id);
create index endpoint_deliveries_record_idx on endpoint_deliveries (record_id);
create index endpoint_deliveries_used_idx on endpoint_deliveries (endpoint_id, last_attempt_at);

create table endpoint_attempts (
  id bigint generated always as identity primary key,
  delivery_id bigint not null references endpoint_deliveries on delete cascade,
  at timestamptz not null,
  duration_ms int not null, response_status int, error text not null,
  -- Some headers of the answer and the beginning of its body; null when none came.
  answer_headers jsonb, answer_body text
);
comment on table endpoint_attempts is 'An attempt that was not accepted. One that was is told by its delivery, so that what goes well costs no row. [traffic]';
create index endpoint_attempts_delivery_idx on endpoint_attempts (delivery_id, id);
create index endpoint_attempts_at_idx on endpoint_attempts using brin (at);

-- A name instead of a reference: the history of a deleted endpoint stays for as long as events are kept.
create table endpoint_events (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  endpoint_id int not null,
  name text not null,
  event text not null check (event in ('failing', 'recovered', 'switched_off')),
  detail text not null
);
comment on table endpoint_events is 'What happened to an endpoint. [acts]';
create index endpoint_events_at_idx on endpoint_events (at desc, id desc);
