-- Clients have endpoints of their own, which are told more than records; and what each attempt was answered.

alter table endpoints
  -- What it is told; contract/src/endpoint-deliveries.ts names the types of each.
  add column events text[] not null default '{message,completed,receipt}'
    check (events <> '{}' and events <@ array['message', 'completed', 'receipt', 'bill', 'payment', 'request']),
  -- When a test last reached the present address.
  add column verified_at timestamptz;

alter table endpoint_deliveries
  -- What it is about when it is no record: the id of the bill, payment or request, and what is sent of it.
  add column subject text not null default '',
  add column data jsonb,
  -- Of the last attempt.
  add column duration_ms int;

-- Attempts that were not accepted. One that was is told by its delivery, so that what goes well costs no row.
create table endpoint_attempts (
  id bigint generated always as identity primary key,
  delivery_id bigint not null references endpoint_deliveries on delete cascade,
  at timestamptz not null,
  duration_ms int not null,
  response_status int,
  error text not null,
  -- Some headers of the answer and the beginning of its body; null when none came.
  answer_headers jsonb,
  answer_body text
);
create index endpoint_attempts_delivery_idx on endpoint_attempts (delivery_id, id);
create index endpoint_attempts_at_idx on endpoint_attempts using brin (at);

-- Answers to calls with an Idempotency-Key are encrypted, because some contain a secret that is shown once. `answer` is of
-- the release before.
alter table idempotency_keys add column sealed_answer bytea;
