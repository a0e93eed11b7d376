-- Whoever owns the database can rewrite the audit log and its hashes. From here on a link is made with a key that the
-- database holds only sealed, so a rewritten log does not verify (decision 75).
create table audit_keys (
  id int generated always as identity primary key,
  -- 32 random bytes, sealed under the operator's SECRET_KEY for the place 'audit_keys.sealed'.
  sealed bytea not null,
  made_at timestamptz not null default clock_timestamp()
);

alter table audit_entries
  -- The key of the entry's link. Null: the link is a plain SHA-256, as before this migration; no new entry may have it.
  add column key_id int,
  add constraint audit_entries_keyed check (key_id is not null) not valid,
  -- Ids follow from the head, under its lock, without gaps: one that is missing was taken out.
  alter id drop identity;

alter table audit_head
  add column key_id int,
  add column entry_count bigint not null default 0,
  -- HMAC over the head: it can be put back to an earlier entry only by who saw the head of that moment.
  add column seal bytea,
  -- Names this database in signed heads, so that the head of another one proves nothing about it.
  add column database_id uuid not null default gen_random_uuid();
update audit_head set entry_count = (select count(*) from audit_entries);
