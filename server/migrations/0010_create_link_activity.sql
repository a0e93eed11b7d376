-- What happened to connections and endpoints, and what their screens show besides.

-- Names instead of references: what was deleted keeps its history for as long as events are kept.
create table connection_events (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  connection_id int not null,
  name text not null,
  event text not null check (event in ('connected', 'connecting', 'lost', 'failed', 'disconnected')),
  error_code int,
  detail text not null,
  node text not null
);
create index connection_events_at_idx on connection_events (at desc, id desc);

create table endpoint_events (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  endpoint_id int not null,
  name text not null,
  event text not null check (event in ('failing', 'recovered', 'switched_off')),
  detail text not null
);
create index endpoint_events_at_idx on endpoint_events (at desc, id desc);

-- What people did to them stands in the audit log.
create index audit_entries_links_idx on audit_entries (at desc, id desc)
  where object_type in ('connection', 'endpoint');

alter table connection_states add column next_attempt_at timestamptz;

alter table endpoints
  add column failing_since timestamptz,
  -- Signs beside the new one for a while, so that a receiver may change over without a gap.
  add column former_sealed_secret bytea,
  add column former_until timestamptz;
