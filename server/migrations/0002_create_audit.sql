-- Audit: who did what. Each entry has a keyed hash over it and the one before: a changed log does not verify (decision 48).

create table audit_entries (
  -- Ids follow from audit_head, under its lock, without gaps: a missing id means that an entry was removed.
  id bigint primary key,
  at timestamptz not null default now(),
  actor_id int, actor text not null,
  ip text not null default '',
  action text not null,
  object_type text not null, object_id text not null,
  before jsonb, after jsonb,
  hash bytea not null, -- Keyed hash over the hash of the entry before and this entry.
  key_id int not null -- The audit key that made the hash.
);
comment on table audit_entries is 'One act of somebody, with the keyed hash that links it to the one before. [acts]';

create trigger audit_entries_append_only before update or delete or truncate on audit_entries execute function refuse_change();

create index audit_entries_object_idx on audit_entries (object_type, object_id, id desc);
create index audit_entries_actor_idx on audit_entries (actor_id, id desc);
create index audit_entries_actor_name_idx on audit_entries (actor, id);
create index audit_entries_action_idx on audit_entries (action, id);
create index audit_entries_at_idx on audit_entries (at);
-- The activity list of the interconnection page.
create index audit_entries_links_idx on audit_entries (at desc, id desc) where object_type in ('connection', 'endpoint');
-- The entries of one change of many rows.
create index audit_entries_change_idx on audit_entries ((after ->> 'change'), id) where after ? 'change';

-- What a search of the audit log looks at. Each field follows a line break, which no field contains, and a space, so that
-- ' ab' finds how words begin.
create function audit_search_text(actor text, action text, object_type text, object_id text, ip text) returns text
  language sql immutable parallel safe
  return lower(' ' || actor || E'\n ' || action || E'\n ' || object_type || E'\n ' || object_id || E'\n ' || ip);
-- A short pending list, because each search reads it through.
create index audit_entries_search_idx on audit_entries
  using gin (audit_search_text(actor, action, object_type, object_id, ip) gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
-- From a hundred samples on the planner relies on its statistics of a text. With fewer it takes rare words for frequent
-- ones and reads the whole table.
create statistics audit_entries_search_stats
  on (audit_search_text(actor, action, object_type, object_id, ip)) from audit_entries;
alter statistics audit_entries_search_stats set statistics 300;

-- Whoever writes an entry locks this row, so entries follow one another, and one that was cut off the end is noticed.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  id bigint not null default 0,
  hash bytea not null default '\x',
  key_id int,
  entry_count bigint not null default 0,
  hmac bytea, -- HMAC over the head. Only someone who has seen an earlier head can put the table back to it.
  -- Names this database in signed heads, so that the head of another database proves nothing about this one.
  database_id uuid not null default gen_random_uuid()
);
comment on table audit_head is 'The end of the chain. [settings]';
insert into audit_head default values;

create table audit_keys (
  id int generated always as identity primary key,
  encrypted_key bytea not null, -- 32 random bytes, encrypted for the purpose 'audit_keys.encrypted_key'.
  made_at timestamptz not null default clock_timestamp()
);
comment on table audit_keys is 'One key of the links, encrypted: the owner of the database can rewrite the log and its hashes, but not read its keys. [settings]';

create table audit_heads (
  id int generated always as identity primary key,
  published_at timestamptz not null,
  entry_id bigint not null,
  line text not null -- One line with everything that is signed, and the signature.
);
comment on table audit_heads is 'A signed head as it was published: who kept one elsewhere can prove that the log was rewritten since. [acts]';
create index audit_heads_entry_idx on audit_heads (entry_id);
create trigger audit_heads_append_only before update or delete or truncate on audit_heads execute function refuse_change();

create table audit_checks (
  only_row boolean primary key default true check (only_row),
  state text not null, -- JSON. `hmac` is one over it with the audit key `key_id`.
  key_id int not null,
  hmac bytea not null
);
comment on table audit_checks is 'How far the recurring check of the chain has come, and what it found. [settings]';
