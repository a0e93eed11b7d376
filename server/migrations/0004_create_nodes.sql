-- Running nodes, what each of them owns, and the peers bound to them.

create table nodes (
  id text primary key,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  host text not null default '',
  roles text[] not null
);

-- One owner at a time; every write of an owner carries its token, so a stale owner cannot write.
create table leases (
  name text primary key,
  owner text,
  token bigint not null default 0,
  expires_at timestamptz not null default '-infinity'
);

create table binds (
  id text primary key,
  node_id text not null references nodes on delete cascade,
  user_id int not null references users on delete cascade,
  system_id text not null,
  bind_type text not null check (bind_type in ('transmitter', 'receiver', 'transceiver')),
  interface_version text not null,
  remote_address text not null,
  is_tls boolean not null default false,
  bound_at timestamptz not null default now(),
  last_activity_at timestamptz not null default now(),
  messages_per_second real not null default 0,
  received bigint not null default 0,
  window_used int not null default 0,
  window_max int not null default 0,
  -- Set to have the bind's node put it out.
  kick_reason text
);
create index binds_user_id_idx on binds (user_id);
create index binds_node_id_idx on binds (node_id);
