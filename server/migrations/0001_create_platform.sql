-- Platform: what every other slice stands on. Nodes, leases, the keys that encrypt secrets, and a trigger for tables that
-- may only grow.

-- Trigram indexes, for lists that are searched by a piece of a word (decision 18).
create extension if not exists pg_trgm;

-- Append-only tables refuse every change, whoever asks for it. A table with a trigger on this function is also granted to
-- the program without UPDATE and DELETE (0016).
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- Running processes of Tollgate.
create table nodes (
  id text primary key,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  host text not null default '',
  roles text[] not null
);

-- One owner at a time for work that must run once. Each write of an owner carries its token, so an owner whose lease has
-- run out cannot write any more.
create table leases (
  name text primary key,
  owner text,
  token bigint not null default 0,
  expires_at timestamptz not null default '-infinity'
);

-- Shows whether a node starts with the SECRET_KEY that this database was encrypted with. The proof is derived from the key
-- and does not reveal it.
create table secret_key_proofs (
  is_only boolean primary key default true check (is_only),
  proof bytea not null,
  set_at timestamptz not null
);

-- The random root key that encrypts secrets and message texts, itself encrypted under SECRET_KEY. During a rotation of
-- SECRET_KEY there is one row for the old and one for the new SECRET_KEY; both contain the same root key.
create table root_keys (
  -- Which SECRET_KEY encrypted the row; it does not reveal that key.
  key_id bytea primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
