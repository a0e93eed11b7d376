-- Mails that wait to be sent, written in the transaction of what they tell.

create table mails (
  id bigint generated always as identity primary key,
  -- What it tells and to whom, once: a close that is run again makes no second one. Bytewise, so that a beginning of it
  -- is found by the index.
  event_key text collate "C" not null unique,
  recipient text not null,
  subject text not null,
  body text not null,
  attempts int not null default 0,
  -- While one sends it, when another may; null once it was sent or given up.
  next_try_at timestamptz,
  sent_at timestamptz,
  failed_at timestamptz,
  -- Why the last try failed.
  failure text not null default '',
  created_at timestamptz not null,
  check ((next_try_at is null) = (sent_at is not null or failed_at is not null))
);
create index mails_due_idx on mails (next_try_at) where next_try_at is not null;
