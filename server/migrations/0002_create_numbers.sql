-- Numbers, their holders over time, ranges, requests, and every price with its start.

-- One row: its version grows with each change of numbers, holders, ranges or rates. Whoever changes them holds the
-- traffic gate exclusively, so a batch of messages is priced wholly before or wholly after the change.
create table catalog (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 1,
  -- The instant from which the last change holds, in whole milliseconds. Each change is later than the one before.
  changed_at timestamptz not null default '-infinity'
);
insert into catalog default values;

create table ranges (
  id int generated always as identity primary key,
  range_number text not null,
  start_number text not null check (start_number ~ '^[1-9][0-9]{4,14}$'),
  end_number text not null check (end_number ~ '^[1-9][0-9]{4,14}$'),
  description text not null default '',
  tariff_micro bigint not null default 0 check (tariff_micro >= 0),
  status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
  version int not null default 1,
  -- As in numbers: what a node must reload.
  catalog_version bigint not null default 1,
  created_at timestamptz not null default now(),
  -- Deleted rows stay for the records that name them.
  deleted_at timestamptz,
  check (length(start_number) = length(end_number) and start_number <= end_number)
);
create unique index ranges_range_number_key on ranges (range_number) where deleted_at is null;
create index ranges_created_at_idx on ranges (created_at desc, id desc) where deleted_at is null;

create sequence account_number_seq start 1001;

create table numbers (
  id int generated always as identity primary key,
  number text not null check (number ~ '^[1-9][0-9]{4,14}$'),
  description text not null default '',
  -- Shekels; null means the range's tariff.
  tariff_micro bigint check (tariff_micro >= 0),
  status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
  type text not null default 'premium' check (type in ('premium', 'standard', 'toll-free')),
  country text not null default '',
  country_code text not null default '',
  operator text not null default '',
  -- USD per SMS of the number itself (settles as a payout); null settles in the weekly bill. The history is in rates.
  price_micro bigint check (price_micro > 0),
  account_number text unique,
  -- Who holds it now: a copy of the open row in number_holders, for lists.
  holder_id int references users,
  held_from timestamptz,
  version int not null default 1,
  -- The catalog version of the last change, so that a node reloads only what changed.
  catalog_version bigint not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index numbers_number_key on numbers (number) where deleted_at is null;
-- Imports add their rows before they take the gate, so that a hundred thousand of them do not stop the traffic: the rows
-- have catalog version 0, and the change that makes them count names their ids.
create table number_imports (
  catalog_version bigint primary key,
  first_id int not null,
  last_id int not null,
  check (last_id >= first_id)
);
create index numbers_catalog_version_idx on numbers (catalog_version);
create index numbers_created_at_idx on numbers (created_at desc, id desc) where deleted_at is null;
create index numbers_holder_id_idx on numbers (holder_id, id) where deleted_at is null;
create index numbers_country_idx on numbers (country, id) where deleted_at is null;

-- Who held a number when, half-open. Two holders at one moment are impossible.
create table number_holders (
  id bigint generated always as identity primary key,
  number_id int not null references numbers,
  user_id int not null references users,
  held_from timestamptz not null,
  held_to timestamptz,
  assigned_by int references users,
  created_at timestamptz not null default now(),
  check (held_to is null or held_to > held_from),
  constraint number_holders_no_overlap exclude using gist (
    int8range(number_id, number_id, '[]') with &&,
    tstzrange(held_from, held_to) with &&
  )
);
create index number_holders_user_id_idx on number_holders (user_id);
create index number_holders_number_id_idx on number_holders (number_id, held_from);

-- Every price a message can get, append-only. Scope: number, else user, else global. A null value ends the scope's own price.
create table rates (
  id int generated always as identity primary key,
  scope text not null check (scope in ('global', 'user', 'number')),
  user_id int references users,
  number_id int references numbers,
  rate_micro bigint check (rate_micro > 0),
  valid_from timestamptz not null,
  set_by int references users,
  created_at timestamptz not null default now(),
  check ((scope = 'user') = (user_id is not null)),
  check ((scope = 'number') = (number_id is not null)),
  check (scope <> 'global' or rate_micro is not null)
);
create index rates_user_id_idx on rates (user_id, valid_from desc) where scope = 'user';
create index rates_number_id_idx on rates (number_id, valid_from desc) where scope = 'number';
create index rates_global_idx on rates (valid_from desc) where scope = 'global';
create trigger rates_append_only before update or delete on rates
  for each statement execute function refuse_change();
-- Spec §9: the default global rate is 0.05 USD per SMS.
insert into rates (scope, rate_micro, valid_from) values ('global', 50000, '1970-01-01T00:00:00Z');

create table number_requests (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  requested_number text not null default '',
  preferred_country text not null default '',
  country_code text not null default '',
  business_purpose text not null,
  expected_volume text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'assigned', 'rejected')),
  assigned_number text not null default '',
  rejection_reason text not null default '',
  processed_at timestamptz,
  processed_by int references users,
  created_at timestamptz not null default now()
);
create index number_requests_user_id_idx on number_requests (user_id, id desc);
create index number_requests_status_idx on number_requests (status, id desc);
