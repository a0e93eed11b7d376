-- Closing: what keeps a close waiting, and accounts that a close had to leave out.

-- Why due cycles are not closed, for staff; no row, or one that was not seen for a minute: nothing waits.
create table close_waits (
  only_row boolean primary key default true check (only_row),
  -- clock: node and database differ; chain: both differ from the chain's newest block; behind: too many cycles are due.
  cause text not null check (cause in ('clock', 'chain', 'behind')),
  explanation text not null,
  cycle_count int not null,
  since timestamptz not null,
  seen_at timestamptz not null
);

-- A person's word that cycles which end by then may be closed. Never a word on the clocks of node and database.
create table close_words (
  id bigint generated always as identity primary key,
  ends_by timestamptz not null,
  reason text not null check (reason <> ''),
  given_by int not null references users,
  given_at timestamptz not null
);

-- Accounts that could not be closed with the others, such as one whose sums are beyond what a bill can hold. They are
-- parked, and their close is tried again.
create table unclosed_accounts (
  cycle_id int not null references cycles,
  user_id int not null references users,
  -- What is missing: the bill and all that follows, or its lines and payouts.
  step text not null check (step in ('bill', 'items')),
  reason text not null,
  noted_at timestamptz not null,
  primary key (cycle_id, user_id)
);
create index unclosed_accounts_user_idx on unclosed_accounts (user_id);
