-- Numbers: ranges, premium numbers, who held each of them when, requests for numbers, and the catalog version that ingest
-- prices by.

-- One row. Its version grows with each change of numbers, holders, ranges or rates. Whoever makes such a change has the
-- traffic gate exclusively, so a batch of messages is priced wholly before or wholly after it.
create table catalog (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 1,
  -- The instant from which the last change is in force, in whole milliseconds. Each change is later than the one before.
  changed_at timestamptz not null default '-infinity'
);
insert into catalog default values;

create table ranges (
  id int generated always as identity primary key,
  range_number text not null,
  start_number text not null check (start_number ~ '^[1-9][0-9]{4,14}$'),
  end_number text not null check (end_number ~ '^[1-9][0-9]{4,14}$'),
  description text not null default '',
  -- Shekels.
  tariff_micro bigint not null default 0 check (tariff_micro >= 0),
  status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
  version int not null default 1,
  -- The catalog version of the last change, so that a node reloads only what changed.
  catalog_version bigint not null default 1,
  created_at timestamptz not null default now(),
  -- Deleted rows stay, because records name them.
  deleted_at timestamptz,
  check (length(start_number) = length(end_number) and start_number <= end_number)
);
create unique index ranges_range_number_key on ranges (range_number) where deleted_at is null;
create index ranges_created_at_idx on ranges (created_at desc, id desc) where deleted_at is null;

-- The tariff of the range that contains a number: the narrowest range wins, as in the catalog that ingest prices by.
create function range_tariff_micro(digits text) returns bigint language plpgsql stable as $$
begin
  return (
    select tariff_micro from ranges
    where deleted_at is null and length(start_number) = length(digits) and digits between start_number and end_number
    order by end_number::bigint - start_number::bigint, id limit 1);
end $$;

create sequence account_number_seq start 1001;

-- Premium number, account number and inventory item are three views of one row (design, decision 1).
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
  -- USD per SMS of the number itself, which settles as a payout; null settles in the weekly bill. History is in rates.
  price_micro bigint check (price_micro > 0),
  account_number text,
  -- Who holds it now: a copy of the open row in number_holders, for lists.
  holder_id int references users,
  held_from timestamptz,
  -- A copy of the holder's username, empty when nobody holds the number.
  holder_name text not null default '',
  -- The tariff in force, its own or its range's, as lists sort by it. A change of a range reaches it a moment later.
  sort_tariff_micro bigint not null default 0,
  stock_status text not null generated always as (
    case when status <> 'active' then 'suspended' when holder_id is not null then 'assigned' else 'available' end
  ) stored,
  version int not null default 1,
  -- As in ranges; 0 for a row that an import brought, which number_imports names.
  catalog_version bigint not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index numbers_number_key on numbers (number) where deleted_at is null;
create unique index numbers_account_number_key on numbers (account_number) where account_number is not null;
create index numbers_catalog_version_idx on numbers (catalog_version) where catalog_version > 0;

-- The orders of the lists of numbers; each ends with the id. An import of a hundred thousand numbers writes to each index,
-- so where a column is mostly at its default, only the other rows are indexed: the rest stand in the order of their ids
-- (decisions 8 and 18).
-- Read backwards for the newest first. New rows come at its end, where adding is cheapest.
create index numbers_created_at_idx on numbers (created_at, id) where deleted_at is null;
-- A client's own list in its usual order.
create index numbers_holder_created_idx on numbers (holder_id, created_at desc, id desc)
  where deleted_at is null and holder_id is not null;
create index numbers_holder_name_idx on numbers (holder_name, id) where deleted_at is null and holder_name <> '';
create index numbers_account_number_idx on numbers ((coalesce(account_number, '')), id)
  where deleted_at is null and account_number <> '';
create index numbers_price_idx on numbers ((coalesce(price_micro, 0)), id)
  where deleted_at is null and price_micro <> 0;
create index numbers_type_idx on numbers (type, id) where deleted_at is null and type <> 'premium';
create index numbers_sort_tariff_idx on numbers (sort_tariff_micro, id) where deleted_at is null;
create index numbers_status_idx on numbers (status, id) where deleted_at is null;
create index numbers_stock_status_idx on numbers (stock_status, id) where deleted_at is null;
-- Numbers have few countries: a search finds the countries first, and then the numbers by this index.
create index numbers_country_idx on numbers (country, id) where deleted_at is null;
create index numbers_country_code_idx on numbers (country_code, id) where deleted_at is null;
create index numbers_operator_idx on numbers (operator, id) where deleted_at is null;

-- Search by field. Number and description are searched in the memory of the gateway; these three fields, which an import
-- mostly leaves empty, by trigrams. The space lets ' ab' find how words begin.
create function search_text(field text) returns text language sql immutable parallel safe
  return lower(' ' || coalesce(field, ''));
create index numbers_operator_search_idx on numbers using gin (search_text(operator) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null and operator <> '';
create index numbers_account_search_idx on numbers using gin (search_text(account_number) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null and account_number is not null;
create index numbers_holder_search_idx on numbers using gin (search_text(holder_name) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null and holder_name <> '';
-- From a hundred samples on the planner relies on its statistics of a text.
create statistics numbers_operator_search_stats on (search_text(operator)) from numbers;
create statistics numbers_account_search_stats on (search_text(account_number)) from numbers;
create statistics numbers_holder_search_stats on (search_text(holder_name)) from numbers;
alter statistics numbers_operator_search_stats set statistics 300;
alter statistics numbers_account_search_stats set statistics 300;
alter statistics numbers_holder_search_stats set statistics 300;

-- Keeps holder_name and sort_tariff_micro right. An import adds rows that nobody holds, so no user is looked up for them.
create function copy_for_number_lists() returns trigger language plpgsql as $$
begin
  if new.holder_id is null then
    new.holder_name := '';
  elsif tg_op = 'INSERT' or new.holder_id is distinct from old.holder_id then
    new.holder_name := coalesce((select username from users where id = new.holder_id), '');
  end if;
  new.sort_tariff_micro := coalesce(new.tariff_micro, range_tariff_micro(new.number), 0);
  return new;
end $$;
create trigger numbers_copy_for_lists before insert or update of number, tariff_micro, holder_id on numbers
  for each row execute function copy_for_number_lists();

create function copy_username_to_numbers() returns trigger language plpgsql as $$
begin
  update numbers set holder_name = new.username where holder_id = new.id;
  return null;
end $$;
create trigger users_copy_username_to_numbers after update of username on users
  for each row when (old.username <> new.username) execute function copy_username_to_numbers();

-- The catalog version of ranges and imports up to which sort_tariff_micro is right.
create table number_tariff_position (
  only_row boolean primary key default true check (only_row),
  catalog_version bigint not null
);
insert into number_tariff_position (catalog_version) select version from catalog;

-- An import adds its rows before it takes the traffic gate, so that a hundred thousand of them do not stop the traffic.
-- Those rows have catalog version 0; the short change that puts them into force names their ids here.
create table number_imports (
  catalog_version bigint primary key,
  first_id int not null,
  last_id int not null,
  check (last_id >= first_id)
);

-- Tells which numbers of an import exist already. Each is looked up in the index of numbers, whatever PostgreSQL knows of
-- the table: a connection that planned this while there were few numbers would otherwise read all of them for each
-- look-up until the next ANALYZE. Only that index has this order, and sorting is switched off.
create function known_numbers(asked text[])
returns table (number text, description text, tariff_micro bigint, status text, country text, country_code text)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
    select known.* from unnest(asked) as wanted (digits) cross join lateral (
      select n.number, n.description, n.tariff_micro, n.status, n.country, n.country_code from numbers n
      where n.number >= wanted.digits and n.number <= wanted.digits and n.deleted_at is null
      order by n.number limit 1) as known;
end $$;

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

-- Clients ask for numbers; support approves and assigns, or rejects.
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
