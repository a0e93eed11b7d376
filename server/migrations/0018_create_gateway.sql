-- Gateway: the binds of peers, deliveries over them, our connections to outside SMPP servers, and the flight recorder.

create table nodes (
  id text primary key,
  started_at timestamptz not null default now(), seen_at timestamptz not null default now(),
  host text not null default '',
  roles text[] not null
);
comment on table nodes is 'A running process of Tollgate. [settings]';

create table binds (
  id text primary key,
  node_id text not null references nodes on delete cascade,
  user_id int not null references users on delete cascade, system_id text not null,
  bind_type text not null check (bind_type in ('transmitter', 'receiver', 'transceiver')),
  interface_version text not null,
  remote_address text not null,
  is_tls boolean not null default false,
  bound_at timestamptz not null default now(), last_activity_at timestamptz not null default now(),
  -- The rate since the last check: by it the nodes share an account's throughput.
  messages_per_second real not null default 0,
  -- What it brought in the last minute, as links and the status page show their rates.
  minute_rate real not null default 0,
  received bigint not null default 0,
  window_used int not null default 0, window_max int not null default 0,
  kick_reason text -- Set to have the bind's node close it.
);
comment on table binds is 'An SMPP session of a peer, written by the node it is bound to. [people]';
create index binds_user_id_idx on binds (user_id);
create index binds_node_id_idx on binds (node_id);

-- Someone who guesses its password elsewhere does not slow it down there.
create table known_bind_origins (
  user_id int not null references users on delete cascade,
  address text not null, -- An IPv4 address, or the /64 of an IPv6 one.
  last_bound_at timestamptz not null default clock_timestamp(),
  primary key (user_id, address)
);
comment on table known_bind_origins is 'Where an account has bound from with its password. [people]';
-- Nodes look for what others have added, and the oldest are deleted.
create index known_bind_origins_last_bound_at_idx on known_bind_origins (last_bound_at);

create table unanswered_records (
  record_id bigint primary key, record_created_at timestamptz not null,
  -- The account or the connection that sent it. Without a reference to the connection: a row may be written after its
  -- connection was deleted.
  user_id int references users,
  connection_id int,
  fingerprint bytea not null, -- Of source and destination address, coding, header and text.
  at timestamptz not null default clock_timestamp(),
  repeated_at timestamptz, -- When the same message came again and was taken for a repetition; that happens once.
  constraint unanswered_records_sender_check check (num_nonnulls(user_id, connection_id) = 1)
);
comment on table unanswered_records is 'A message that was stored while its answer may never have reached the peer, and what came again for it. [passing]';
create index unanswered_records_user_idx on unanswered_records (user_id, at);
create index unanswered_records_connection_idx on unanswered_records (connection_id, at) where connection_id is not null;
create index unanswered_records_at_idx on unanswered_records (at);

create table duplicate_records (
  record_id bigint primary key, record_created_at timestamptz not null,
  duplicate_of_id bigint not null, duplicate_of_created_at timestamptz not null
);
comment on table duplicate_records is 'A record that repeats another one: held from billing until somebody has looked. [traffic]';

create table refused_binds (
  hour timestamptz not null, reason text not null,
  system_id text not null, address text not null,
  refused_count bigint not null, last_at timestamptz not null,
  primary key (hour, reason, system_id, address)
) with (fillfactor = 70);
comment on table refused_binds is 'Refused binds of an hour. [passing]';
-- A supplier is shown its own.
create index refused_binds_system_id_idx on refused_binds (system_id, hour);

create table bind_receivers (
  user_id int primary key references users,
  -- A position in the log of records: everything up to here was delivered or has a row in bind_deliveries.
  position text not null,
  taken_ids bigint[] not null default '{}', -- Beyond it, these were delivered already.
  last_bound_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table bind_receivers is 'A client that takes its records over SMPP: since when it has bound to receive, until the wait for the next bind is over. [people]';

create table bind_deliveries (
  id bigint generated always as identity primary key,
  user_id int not null references users, -- The account that it is delivered to.
  kind text not null check (kind in ('record', 'receipt')),
  record_created_at timestamptz not null, record_id bigint not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null default clock_timestamp(), last_attempt_at timestamptz,
  error text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  -- One receipt for each record, whatever happens to it later.
  unique (record_id, kind)
) with (fillfactor = 80);
comment on table bind_deliveries is 'A record that a client refused or did not answer in time, or a delivery receipt. [traffic]';
create index bind_deliveries_due_idx on bind_deliveries (user_id, next_attempt_at) where status = 'pending';
create index bind_deliveries_done_idx on bind_deliveries (created_at) where status <> 'pending';

create table receipt_hours (
  user_id int not null, hour timestamptz not null,
  taken_count bigint not null, failed_count bigint not null,
  primary key (user_id, hour)
) with (fillfactor = 70);
comment on table receipt_hours is 'Delivery receipts of an account and hour: what it took, and what it did not take in time or refused. [traffic]';

create table answered_ids (
  record_id bigint primary key, answered_id text not null,
  created_at timestamptz not null default clock_timestamp()
);
comment on table answered_ids is 'The id that a submit_multi was answered with, for each record that it made: their receipts name it. [traffic]';
-- The other messages that one answer named (submit_multi).
create index answered_ids_answered_id_idx on answered_ids (answered_id);

create table smpp_connections (
  id int generated always as identity primary key,
  name text not null,
  host text not null,
  port int not null check (port between 1 and 65535),
  use_tls boolean not null,
  -- PEM of the authorities that alone are trusted over TLS; null: those that Node.js trusts.
  tls_ca text check (octet_length(tls_ca) <= 32768),
  -- The name or address that the certificate of the host must be for; null: the host.
  tls_name text check (length(tls_name) <= 253),
  bind_type text not null check (bind_type in ('transmitter', 'receiver', 'transceiver')),
  system_id text not null, encrypted_password bytea not null,
  system_type text not null,
  interface_version text not null check (interface_version in ('3.3', '3.4', '5.0')),
  source_ton smallint not null, source_npi smallint not null,
  dest_ton smallint not null, dest_npi smallint not null,
  -- Messages a second that we may send; 0 is no limit.
  throughput int not null check (throughput between 0 and 10000),
  -- How the other side writes a message_id in its answer and in its receipt (SMPP 3.4 §4.4.2 leaves it open).
  answer_id_form text not null check (answer_id_form in ('text', 'caseless', 'decimal', 'hex')),
  receipt_id_form text not null check (receipt_id_form in ('text', 'caseless', 'decimal', 'hex')),
  -- Whether a message whose text reads as a receipt is one, although nothing marks it.
  is_receipt_by_text boolean not null default false,
  -- How the two sides read, check and pace each other.
  default_alphabet text not null default 'gsm7' check (default_alphabet in ('gsm7', 'packed7', 'latin1', 'ascii', 'utf8')),
  is_strict boolean not null default false,
  -- Whether texts that we send may use the national language tables of GSM: not every upstream passes their header on, and
  -- not every telephone has them.
  use_national_tables boolean not null default false,
  -- Messages of the upstream that may be unanswered.
  receive_window int not null default 50 check (receive_window between 1 and 1000),
  -- Messages of ours that may be unanswered, and the silence before an enquire_link; null: as all connections have it.
  send_window int check (send_window between 1 and 100),
  enquire_link_seconds int check (enquire_link_seconds between 5 and 3600),
  allowed_cidrs text[] not null default '{}', -- Networks in which its host must be; none is any.
  is_wanted boolean not null default true, -- Whether a person wants it connected; outlives restarts.
  -- Grows with each order to connect anew; the owner compares it with the one it has carried out.
  restart_count int not null default 0,
  version int not null default 1,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  check (use_tls or (tls_ca is null and tls_name is null))
);
comment on table smpp_connections is 'An SMPP link from us to an outside server: what is configured. [people]';
create unique index smpp_connections_name_key on smpp_connections (lower(name));

create table connection_states (
  connection_id int primary key references smpp_connections on delete cascade,
  status text not null check (status in ('connected', 'disconnected', 'error', 'connecting')),
  node text not null,
  -- The lease token of the owner who wrote it: a state of an earlier owner does not count.
  lease_token bigint not null,
  connected_at timestamptz,
  down_since timestamptz, -- Since when it is not connected; null while it is.
  attempts int not null, last_attempt_at timestamptz, next_attempt_at timestamptz,
  last_error_code int, last_error text not null,
  last_heartbeat_at timestamptz,
  messages_per_second real not null -- Over the last minute, both directions.
);
comment on table connection_states is 'The state of a connection as its owner sees it, written under the lease `connection:<id>`. [people]';

create table connection_counts (
  connection_id int not null references smpp_connections on delete cascade,
  slot timestamptz not null,
  sent int not null, received int not null,
  primary key (connection_id, slot)
);
comment on table connection_counts is 'Messages of a connection by ten minutes, for the figure of the last 24 hours. [passing]';

create table connection_sends (
  id bigint generated always as identity primary key,
  connection_id int not null references smpp_connections on delete cascade,
  sender text not null, recipient text not null,
  encrypted_text bytea, -- Emptied once it is sent.
  status text not null default 'queued' check (status in ('queued', 'sending', 'sent', 'failed')),
  error_code int, error text not null default '',
  message_keys text[] not null default '{}', -- The message id of each segment, in one form.
  -- What the receipt of each part said, in the order of message_keys; empty while there is none.
  part_states text[] not null default '{}',
  receipt text not null default '', receipt_at timestamptz,
  created_by text not null, created_at timestamptz not null default now(), done_at timestamptz
);
comment on table connection_sends is 'A message sent by hand. One that was `sending` when its owner died may have left: it is not sent twice. [acts]';
create index connection_sends_connection_id_idx on connection_sends (connection_id, id desc);
create index connection_sends_open_idx on connection_sends (connection_id) where status in ('queued', 'sending');
create index connection_sends_keys_idx on connection_sends using gin (message_keys);

create table connection_receipts (
  connection_id int not null references smpp_connections on delete cascade,
  message_key text not null, -- Empty: none that can be read.
  receipt text not null,
  octets text not null, -- Of the last one, in hexadecimal, with what it quotes of a message hidden.
  receipt_count bigint not null default 1, received_at timestamptz not null default now(),
  primary key (connection_id, message_key)
);
comment on table connection_receipts is 'Receipts of a week that belong to no message: one may come before the answer that names its message. [passing]';

-- A name instead of a reference: the history of a deleted connection stays for as long as events are kept.
create table connection_events (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  connection_id int not null,
  name text not null,
  event text not null check (event in ('connected', 'connecting', 'lost', 'failed', 'disconnected')),
  error_code int, detail text not null,
  node text not null
);
comment on table connection_events is 'What happened to a connection. [acts]';
create index connection_events_at_idx on connection_events (at desc, id desc);

-- The flight recorder: the links it is switched on for, and their last PDUs, decoded, without texts and passwords. A link
-- is `bind-<user>` or `connection-<id>`. The PDUs of refused binds are kept without a switch: their link is
-- `refused-<system_id>`, and they are also found by the peer's address.
create table flight_switches (
  link text primary key, on_until timestamptz not null
);
comment on table flight_switches is 'A link that the flight recorder is switched on for. [settings]';

create unlogged table flight_pdus (
  id bigint generated always as identity primary key,
  link text not null, address text not null default '',
  session text not null, -- Tells sessions of one link apart.
  at timestamptz not null,
  direction text not null check (direction in ('in', 'out')),
  command text not null, status int not null,
  sequence bigint not null, octets int not null,
  message_id text not null default '',
  fields jsonb not null
);
comment on table flight_pdus is 'One of the last PDUs of a link, decoded. Unlogged: it shows what happens now and is worth nothing after a crash. [passing]';
create index flight_pdus_link_idx on flight_pdus (link, id);
create index flight_pdus_address_idx on flight_pdus (address, id) where address <> '';
create index flight_pdus_answer_idx on flight_pdus (session, sequence, id);
