-- Tells whether a node starts with the key that this database was sealed with. It is made from the key and gives nothing
-- of it away.
create table secret_key_proofs (
  is_only boolean primary key default true check (is_only),
  proof bytea not null,
  set_at timestamptz not null
);
