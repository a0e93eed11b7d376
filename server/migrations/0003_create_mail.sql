-- Mail: messages that wait to be sent. Each is written in the transaction of the event that it reports.

create table mails (
  id bigint generated always as identity primary key,
  -- The event and the recipient: a job that runs twice writes one mail. Collation "C", so that the index also serves
  -- searches for the beginning of a key.
  event_key text collate "C" not null unique,
  recipient text not null,
  subject text not null, body text not null,
  -- Instead of body where the text contains a secret, such as a link into an account. Encrypted.
  encrypted_body bytea,
  attempts int not null default 0,
  -- When the next attempt is due; while one attempt runs, when another node may try. Null once it was sent or given up.
  next_try_at timestamptz,
  sent_at timestamptz, failed_at timestamptz,
  failure text not null default '', -- Why the last attempt failed.
  created_at timestamptz not null,
  check ((next_try_at is null) = (sent_at is not null or failed_at is not null))
);
comment on table mails is 'A mail that waits to be sent, or was sent. [acts]';
create index mails_due_idx on mails (next_try_at) where next_try_at is not null;
