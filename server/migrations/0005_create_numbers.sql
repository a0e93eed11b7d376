-- Numbers: ranges, premium numbers, their holders, requests for them, and the catalog version that ingest prices by.

-- One row. Its version grows with each change of numbers, holders, ranges or rates. Whoever makes such a change has the
-- traffic gate exclusively, so a batch of messages is priced wholly before or wholly after it.
create table catalog (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 1,
  -- The instant from which the last change is in force, in whole milliseconds. Each change is later than the one before.
  changed_at timestamptz not null default '-infinity'
);
comment on table catalog is 'The version of everything that messages are priced by. [settings]';
insert into catalog default values;

create table ranges (
  id int generated always as identity primary key,
  range_number text not null,
  start_number text not null check (start_number ~ '^[1-9][0-9]{2,14}$'),
  end_number text not null check (end_number ~ '^[1-9][0-9]{2,14}$'),
  description text not null default '',
  tariff_micro bigint not null default 0 check (tariff_micro >= 0), -- Shekels.
  -- What held until tariff_from, for records that come late. Null: the present tariff has no start.
  earlier_tariff_micro bigint check (earlier_tariff_micro >= 0),
  tariff_from timestamptz,
  -- A tariff that starts later: at most one waits. Pricing takes it from its start on, also before it has become
  -- tariff_micro, so a message costs what was in force at its own time on every node. The audit log keeps who set what.
  next_tariff_micro bigint check (next_tariff_micro >= 0),
  next_tariff_from timestamptz, next_tariff_set_by int references users,
  status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
  version int not null default 1,
  -- The catalog version of the last change, so that a node reloads only what changed.
  catalog_version bigint not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz, -- Deleted rows stay, because records name them.
  check (length(start_number) = length(end_number) and start_number <= end_number),
  check (num_nulls(next_tariff_micro, next_tariff_from, next_tariff_set_by) in (0, 3)),
  check (num_nulls(earlier_tariff_micro, tariff_from) in (0, 2))
);
comment on table ranges is 'A range of numbers, with its tariff. [people]';
create unique index ranges_range_number_key on ranges (range_number) where deleted_at is null;
create index ranges_created_at_idx on ranges (created_at desc, id desc) where deleted_at is null;
create index ranges_next_tariff_from_idx on ranges (next_tariff_from) where next_tariff_from is not null;

-- What a search for ranges looks at, as person_search_text.
create function range_search_text(range_number text, description text, start_number text, end_number text) returns text
  language sql immutable parallel safe
  return lower(' ' || range_number || E'\n ' || description || E'\n ' || start_number || E'\n ' || end_number);
create index ranges_search_idx on ranges
  using gin (range_search_text(range_number, description, start_number, end_number) gin_trgm_ops)
  with (gin_pending_list_limit = 256) where deleted_at is null;
create statistics ranges_search_stats on (range_search_text(range_number, description, start_number, end_number)) from ranges;
alter statistics ranges_search_stats set statistics 300;

-- The tariff of the range that contains a number: the narrowest range wins, as in the catalog that ingest prices by.
create function range_tariff_micro(digits text) returns bigint language plpgsql stable as $$
begin
  return (
    select tariff_micro from ranges
    where deleted_at is null and length(start_number) = length(digits) and digits between start_number and end_number
    order by end_number::bigint - start_number::bigint, id limit 1);
end $$;

create sequence account_number_seq start 1001;

create table numbers (
  id int generated always as identity primary key,
  -- Short codes of three to eight digits are numbers too, alone and in ranges.
  number text not null check (number ~ '^[1-9][0-9]{2,14}$'),
  description text not null default '',
  tariff_micro bigint check (tariff_micro >= 0), -- Shekels; null means the range's tariff.
  status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
  type text not null default 'premium' check (type in ('premium', 'standard', 'toll-free')),
  country text not null default '', country_code text not null default '',
  operator text not null default '',
  -- USD per SMS of the number itself, which settles as a payout; null settles in the weekly bill. History is in rates.
  price_micro bigint check (price_micro > 0),
  account_number text,
  -- Who holds it now: a copy of the open row in number_holders, for lists.
  holder_id int references users,
  held_from timestamptz,
  holder_name text not null default '', -- A copy of the holder's username, empty when nobody holds the number.
  version int not null default 1,
  -- The import that added this number; null for every other one. Without a foreign key: the rows of an import are written
  -- before its own row is.
  import_id int,
  -- As in ranges; 0 for a row that an import brought, which number_imports names.
  catalog_version bigint not null default 1,
  created_at timestamptz not null default now(), deleted_at timestamptz
);
comment on table numbers is 'A premium number: also the account number and the item of the inventory (design, decision 1). [people]';
create unique index numbers_number_key on numbers (number) where deleted_at is null;
create unique index numbers_account_number_key on numbers (account_number) where account_number is not null;
create index numbers_catalog_version_idx on numbers (catalog_version) where catalog_version > 0;
-- Digits that a deleted number had.
create index numbers_former_idx on numbers (number) where deleted_at is not null;

-- The orders of the lists of numbers; each ends with the id, so that a page is read from its index (decision 18).
-- Read backwards for the newest first. New rows come at its end, where adding is cheapest.
create index numbers_created_at_idx on numbers (created_at, id) where deleted_at is null;
-- A client's own list in its usual order.
create index numbers_holder_created_idx on numbers (holder_id, created_at desc, id desc)
  where deleted_at is null and holder_id is not null;
create index numbers_holder_name_idx on numbers (holder_name, id) where deleted_at is null;
create index numbers_account_number_idx on numbers ((coalesce(account_number, '')), id) where deleted_at is null;
create index numbers_price_idx on numbers ((coalesce(price_micro, 0)), id) where deleted_at is null;
-- Numbers have few countries: a search finds the countries first, and then the numbers by this index.
create index numbers_country_idx on numbers (country, id) where deleted_at is null;
create index numbers_country_code_idx on numbers (country_code, id) where deleted_at is null;
-- For filters by what few numbers have.
create index numbers_type_idx on numbers (type) where deleted_at is null and type <> 'premium';
create index numbers_status_idx on numbers (status) where deleted_at is null and status <> 'active';
-- The numbers that clients may search: available ones with a price of their own. An import brings none of them.
create index numbers_offered_idx on numbers (price_micro, id)
  where deleted_at is null and status = 'active' and holder_id is null and price_micro is not null;

-- Numbers are searched by trigrams, each list by its own columns; one index has them all. Digits are found in deleted numbers
-- too, whose records stay. The space lets ' ab' find how words begin.
create function search_text(field text) returns text language sql immutable parallel safe
  return lower(' ' || coalesce(field, ''));
create index numbers_search_idx on numbers using gin (
  number gin_trgm_ops,
  search_text(description) gin_trgm_ops,
  search_text(operator) gin_trgm_ops,
  search_text(account_number) gin_trgm_ops,
  search_text(holder_name) gin_trgm_ops
) with (gin_pending_list_limit = 4096);

-- Keeps holder_name right. An import adds rows that nobody holds, so no user is looked up for them.
create function copy_holder_name() returns trigger language plpgsql as $$
begin
  new.holder_name := coalesce((select username from users where id = new.holder_id), '');
  return new;
end $$;
create trigger numbers_copy_holder_name before insert or update of holder_id on numbers
  for each row when (new.holder_id is not null or new.holder_name <> '') execute function copy_holder_name();

create function copy_username_to_numbers() returns trigger language plpgsql as $$
begin
  update numbers set holder_name = new.username where holder_id = new.id;
  return null;
end $$;
create trigger users_copy_username_to_numbers after update of username on users
  for each row when (old.username <> new.username) execute function copy_username_to_numbers();

-- An import adds its rows before it takes the traffic gate, so that a hundred thousand of them do not stop the traffic.
-- Those rows have catalog version 0; the short change that puts them into force names their ids here. An import is kept with
-- who made it, so that it can be undone as one.
create sequence number_import_id_seq as int;
create table number_imports (
  catalog_version bigint primary key,
  first_id int not null, last_id int not null,
  id int unique,
  user_id int references users,
  file_name text not null default '', line_count int not null default 0,
  added_count int not null default 0,
  imported_at timestamptz,
  -- Its numbers are removed some at a time. Set with the first of them, and when the last one was looked at.
  undo_began_at timestamptz,
  undone_at timestamptz, undone_by int references users, removed_count int not null default 0,
  check (last_id >= first_id), check ((id is null) = (imported_at is null)),
  check (undone_at is null or undo_began_at is not null)
);
comment on table number_imports is 'One import of numbers. [acts]';

-- Tells which numbers of an import exist already. Each is looked up in the index of numbers, whatever PostgreSQL knows of
-- the table: a connection that planned this while there were few numbers would otherwise read all of them for each
-- look-up until the next ANALYZE. Only that index has this order, and sorting is switched off.
create function known_numbers(asked text[])
returns table (number text, description text, tariff_micro bigint, status text, country text, country_code text)
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
    select known.* from unnest(asked) as wanted (digits) cross join lateral (
      select n.number, n.description, n.tariff_micro, n.status, n.country, n.country_code from numbers n
      where n.number >= wanted.digits and n.number <= wanted.digits and n.deleted_at is null
      order by n.number limit 1) as known;
end $$;

create table number_holders (
  id bigint generated always as identity primary key,
  number_id int not null references numbers, user_id int not null references users,
  held_from timestamptz not null, held_to timestamptz,
  assigned_by int references users,
  created_at timestamptz not null default now(),
  check (held_to is null or held_to > held_from),
  constraint number_holders_no_overlap exclude using gist (
    int8range(number_id, number_id, '[]') with &&,
    tstzrange(held_from, held_to) with &&
  )
);
comment on table number_holders is 'Who held a number when, half-open. Two holders at one moment are impossible. [people]';
create index number_holders_user_id_idx on number_holders (user_id);
create index number_holders_number_id_idx on number_holders (number_id, held_from);
-- How many numbers a client took of late.
create index number_holders_taken_idx on number_holders (user_id, created_at) where assigned_by = user_id;

-- Whether somebody else held the digits of a number at a time when the number was held: they may belong to deleted numbers
-- too, whose late messages still come. The caller has closed the traffic gate, so two changes do not cross here.
create function shares_digits(own_id int) returns boolean language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  digits text := (select n.number from numbers n where n.id = own_id);
  others int[] := array(
    select n.id from numbers n where n.number = digits and n.deleted_at is not null and n.id <> own_id
    union all select n.id from numbers n where n.number = digits and n.deleted_at is null and n.id <> own_id
  );
begin
  if cardinality(others) = 0 then return false; end if;
  return exists (
    select from number_holders own join number_holders other
      on tstzrange(own.held_from, own.held_to) && tstzrange(other.held_from, other.held_to)
    where own.number_id = own_id and other.number_id = any(others));
end $$;

-- Named like the constraint that says the same of one number. Few numbers have digits that a deleted one had.
create function refuse_shared_digits() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  own_id int;
  is_former boolean;
begin
  if tg_table_name = 'numbers' then own_id := new.id; else own_id := new.number_id; end if;
  select exists (select from numbers f where f.number = n.number and f.deleted_at is not null) into is_former
  from numbers n where n.id = own_id;
  if is_former and shares_digits(own_id) then
    raise exclusion_violation using message = 'somebody else held these digits at that time',
      constraint = 'number_holders_no_overlap';
  end if;
  return null;
end $$;
create trigger number_holders_share_no_digits after insert or update of held_from, held_to on number_holders
  for each row execute function refuse_shared_digits();
create trigger numbers_share_no_digits after update of number on numbers
  for each row when (old.number <> new.number) execute function refuse_shared_digits();

create table number_requests (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  requested_number text not null default '',
  preferred_country text not null default '', country_code text not null default '',
  business_purpose text not null, expected_volume text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'assigned', 'rejected', 'withdrawn')),
  assigned_number text not null default '',
  rejection_reason text not null default '',
  processed_at timestamptz, processed_by int references users,
  created_at timestamptz not null default now()
);
comment on table number_requests is 'A client asks for a number, and may withdraw that; support approves and assigns, or rejects. [acts]';
create index number_requests_user_id_idx on number_requests (user_id, id desc);
create index number_requests_status_idx on number_requests (status, id desc);
