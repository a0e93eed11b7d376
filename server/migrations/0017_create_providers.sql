-- Providers: HTTP sources that are polled for records, how far each is read, and what became of each row.

create table providers (
  id int generated always as identity primary key,
  slug text unique check (slug = 'custom'), -- Set for the one that the console configures by its own call.
  name text not null,
  api_url text not null,
  auth_type text not null check (auth_type in ('bearer', 'basic', 'api_key')),
  username text not null default '',
  encrypted_secret bytea, -- The API key or the password, as auth_type says; null when there is none.
  poll_interval_ms int not null check (poll_interval_ms >= 1000),
  lookback_ms bigint not null,
  gap_alarm_ms bigint not null, -- 0 is no alarm.
  start_at timestamptz,
  time_zone text not null default 'UTC', -- Of times that name no zone.
  mapping jsonb not null,
  -- The mappings before this one under which rows became records, the newest first, each with its end: a row of that time
  -- has the key that it had under them.
  earlier_readings jsonb not null default '[]',
  is_enabled boolean not null, -- Whether a person wants it polled; outlives restarts.
  switched_at timestamptz not null default clock_timestamp(), -- Since when a person wants it so.
  enabled_at timestamptz, -- When it was last started; for a moment after it no node polls yet.
  -- Grows with each order to poll now; the owner compares it with the one it has carried out.
  start_count int not null default 0,
  -- When everything that waits may be tried again; the wait grows with how much the last time tried.
  replay_due_at timestamptz not null default '-infinity',
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- A deleted one stays: when its name or address comes back, its rows that are records already do not come twice.
  deleted_at timestamptz
);
comment on table providers is 'An HTTP source that is polled for records. [people]';
create unique index providers_name_key on providers (lower(name));

create table provider_progress (
  provider_id int primary key references providers on delete cascade,
  -- A walk goes once through all pages, from `since` to the page without a next cursor.
  walk_since timestamptz, walk_newest timestamptz,
  cursor text, -- The next page of the walk; null between walks.
  -- A piece of a page is stored: rows without ids can only be told apart by starting the walk again.
  is_partial boolean not null default false,
  newest timestamptz, -- The newest row of all finished walks; the next one starts a little before it.
  message_count bigint not null default 0,
  last_stored_at timestamptz,
  -- As the node that polls it sees it; null before the first report.
  status text check (status in ('running', 'error')),
  node text,
  lease_token bigint, -- The lease token of the owner who wrote it: a state of an earlier owner does not count.
  running_since timestamptz,
  last_sync_at timestamptz, next_poll_at timestamptz,
  error_count bigint not null default 0, last_error text not null default '',
  failing_since timestamptz, -- When the first of its polls failed that have failed ever since.
  status_since timestamptz, -- Since when it has its status.
  duplicates int not null default 0,
  check (num_nulls(status, node, lease_token, running_since) in (0, 4))
);
comment on table provider_progress is 'How far a provider is read, and its state. Changes under the lease `provider:<id>`; what is read, in the transaction that stores the rows. [people]';

create table provider_walk_marks (
  provider_id int not null references providers on delete cascade,
  -- Of a cursor: one that comes again would lead in circles. Or of a row without an id: equal ones on several pages are
  -- told apart by their count.
  hash uuid not null,
  seen_count int not null default 1,
  primary key (provider_id, hash)
);
comment on table provider_walk_marks is 'A cursor, or a row without an id, that the walk under way has seen. [passing]';

create table provider_messages (
  provider_id int not null references providers,
  -- A hash of the row's id; without an id, of what makes it a message, and in the last 32 bits which of its equals it is.
  key uuid not null,
  record_id bigint not null, record_created_at timestamptz not null,
  no_report smallint not null, -- The network's delivery report, as a record has it.
  primary key (provider_id, key)
);
comment on table provider_messages is 'A row that became a record, for ever: none becomes one twice. [traffic]';

create table provider_dead_letters (
  id bigint generated always as identity primary key,
  provider_id int not null references providers, key uuid not null,
  reason text not null, explanation text not null,
  external_id text not null, number text not null, row_timestamp text not null,
  encrypted_row bytea, -- The row as it came, encrypted; null when it was too large to keep.
  tries int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  last_tried_at timestamptz not null default clock_timestamp(),
  dismissed_at timestamptz, -- Given up by a person; kept, so that it does not come again.
  unique (provider_id, key)
);
comment on table provider_dead_letters is 'A row that could not become a record. It is tried again by hand, or when the provider repeats it. [traffic]';
create index provider_dead_letters_open_idx on provider_dead_letters (provider_id, id) where dismissed_at is null;
