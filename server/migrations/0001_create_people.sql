-- People, their sessions and keys, settings, and the audit log.

create table users (
  id int generated always as identity primary key,
  username text not null,
  email text not null,
  first_name text not null,
  last_name text not null,
  password_hash text not null,
  role text not null check (role in ('admin', 'support', 'user', 'test')),
  status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
  smpp_access boolean not null default false,
  max_connections int not null default 5 check (max_connections between 1 and 100),
  -- SMPP limits of the account: messages per second (0 = none), and the peer addresses it may bind from (empty = any).
  throughput int not null default 0 check (throughput >= 0),
  allowed_cidrs text[] not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- Usernames are unique whatever their case.
create unique index users_username_key on users (lower(username));
create index users_created_at_idx on users (created_at desc, id desc);
-- For nodes that look for changed accounts when a notice was lost.
create index users_updated_at_idx on users (updated_at);

create table login_sessions (
  -- SHA-256 of the cookie's value: a read of this table signs nobody in.
  id_hash bytea primary key,
  user_id int not null references users on delete cascade,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  authenticated_at timestamptz not null default now(),
  -- Set when the person's role changes: the next GET /api/user answers with a new id.
  is_renewal_due boolean not null default false,
  -- When a replaced id stops working, a moment after its successor was sent; null for one in use.
  ends_at timestamptz,
  ip text not null,
  user_agent text not null default ''
);
create index login_sessions_user_id_idx on login_sessions (user_id);

create table login_failures (
  -- 'account:<lower username>|<ip>' or 'ip:<ip>'.
  subject text not null,
  failed_at timestamptz not null default now()
);
create index login_failures_subject_idx on login_failures (subject, failed_at);

create table api_keys (
  id text primary key,
  user_id int not null references users on delete cascade,
  name text not null default '',
  prefix text not null,
  key_hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index api_keys_user_id_idx on api_keys (user_id);

create table smpp_credentials (
  user_id int primary key references users on delete cascade,
  system_id text not null unique check (length(system_id) between 1 and 15),
  -- AES-256-GCM: it must be shown again, so it cannot be a hash.
  sealed_password bytea not null,
  updated_at timestamptz not null default now()
);

create table settings (
  key text primary key,
  value text not null,
  updated_at timestamptz not null default now(),
  updated_by int references users
);

create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor_id int,
  actor text not null,
  ip text not null default '',
  action text not null,
  object_type text not null,
  object_id text not null,
  before jsonb,
  after jsonb,
  -- SHA-256 over the previous hash and this entry: an altered row breaks the chain from there on.
  hash bytea not null
);
create index audit_entries_object_idx on audit_entries (object_type, object_id, id desc);
create index audit_entries_actor_idx on audit_entries (actor_id, id desc);

-- Append-only tables refuse every change, whoever asks.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each statement execute function refuse_change();
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function refuse_change();

-- The end of the chain. Whoever writes an entry locks it, so entries follow one another; an entry cut off the end shows.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  id bigint not null default 0,
  hash bytea not null default '\x'
);
insert into audit_head default values;
