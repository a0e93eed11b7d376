-- What seals secrets and texts: a random root key, kept here only as sealed by SECRET_KEY. While that one is being
-- rotated there is a row for the old and one for the new SECRET_KEY, and both hold the same root key.
create table root_keys (
  -- Which SECRET_KEY sealed the row; it gives nothing of it away.
  key_id bytea primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
