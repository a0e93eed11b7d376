-- Rates that start later: at most one for each client's own rate and one for the global rate. A row goes when its rate has
-- started or was cancelled; the audit log keeps both.
create table scheduled_rates (
  id int generated always as identity primary key,
  -- Null for the global rate.
  user_id int unique nulls not distinct references users on delete cascade,
  -- USD per SMS; null ends the client's own rate.
  rate_micro bigint check (rate_micro > 0),
  starts_at timestamptz not null,
  set_by int not null references users,
  created_at timestamptz not null default now(),
  check (user_id is not null or rate_micro is not null)
);
create index scheduled_rates_starts_at_idx on scheduled_rates (starts_at);
