-- SMPP links that we hold to outside gateways: what is wanted, what their owners see, and what was sent over them.

create table smpp_connections (
  id int generated always as identity primary key,
  name text not null,
  host text not null,
  port int not null check (port between 1 and 65535),
  use_tls boolean not null,
  bind_type text not null check (bind_type in ('transmitter', 'receiver', 'transceiver')),
  system_id text not null,
  sealed_password bytea not null,
  system_type text not null,
  interface_version text not null check (interface_version in ('3.3', '3.4', '5.0')),
  source_ton smallint not null,
  source_npi smallint not null,
  dest_ton smallint not null,
  dest_npi smallint not null,
  -- Messages a second that we may send; 0 is no limit.
  throughput int not null check (throughput between 0 and 10000),
  -- How the other side writes a message_id in its answer and in its receipt (SMPP 3.4 §4.4.2 leaves it open).
  answer_id_form text not null check (answer_id_form in ('text', 'decimal', 'hex')),
  receipt_id_form text not null check (receipt_id_form in ('text', 'decimal', 'hex')),
  -- Outlives restarts: whoever disconnects a link finds it so afterwards.
  is_wanted boolean not null default true,
  -- Grows with each order to connect anew; the owner compares it with the one it has carried out.
  restart_count int not null default 0,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index smpp_connections_name_key on smpp_connections (lower(name));

-- Written by the owner alone, under its lease `connection:<id>`.
create table connection_states (
  connection_id int primary key references smpp_connections on delete cascade,
  status text not null check (status in ('connected', 'disconnected', 'error', 'connecting')),
  node text not null,
  -- Of the owner who wrote it: a state of an earlier one does not count.
  lease_token bigint not null,
  connected_at timestamptz,
  attempts int not null,
  last_attempt_at timestamptz,
  last_error_code int,
  last_error text not null,
  last_heartbeat_at timestamptz,
  -- Over the last minute, both ways.
  messages_per_second real not null
);

-- Messages by ten minutes, for the figure of the last 24 hours.
create table connection_counts (
  connection_id int not null references smpp_connections on delete cascade,
  slot timestamptz not null,
  sent int not null,
  received int not null,
  primary key (connection_id, slot)
);

-- Messages sent by hand. One that was `sending` when its owner died may have left: it is not sent twice.
create table connection_sends (
  id bigint generated always as identity primary key,
  connection_id int not null references smpp_connections on delete cascade,
  sender text not null,
  recipient text not null,
  -- Emptied once it is sent.
  sealed_text bytea,
  status text not null default 'queued' check (status in ('queued', 'sending', 'sent', 'failed')),
  error_code int,
  error text not null default '',
  -- One for each part, brought to one form.
  message_keys text[] not null default '{}',
  receipt text not null default '',
  receipt_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default now(),
  done_at timestamptz
);
create index connection_sends_connection_id_idx on connection_sends (connection_id, id desc);
create index connection_sends_open_idx on connection_sends (connection_id) where status in ('queued', 'sending');
create index connection_sends_keys_idx on connection_sends using gin (message_keys);

-- Receipts that came before the answer that names their message.
create table connection_receipts (
  connection_id int not null references smpp_connections on delete cascade,
  message_key text not null,
  receipt text not null,
  received_at timestamptz not null default now(),
  primary key (connection_id, message_key)
);
