-- One search text for each list of numbers: with a common one a word that many numbers have, but not where the list
-- looks, cost a reading of all of them.
drop index numbers_search_idx;
alter table numbers drop column search_text;

-- Each field follows a line break, which no field holds, and a space, so that ' ab' finds how words begin.
create function premium_search_text(number text, country text, description text) returns text
  language sql immutable parallel safe
  return lower(' ' || number || E'\n ' || country || E'\n ' || description);
create function stock_search_text(number text, country text, operator text, holder_name text) returns text
  language sql immutable parallel safe
  return lower(' ' || number || E'\n ' || country || E'\n ' || operator || E'\n ' || holder_name);
create function account_search_text(number text, account_number text, description text, holder_name text) returns text
  language sql immutable parallel safe
  return lower(' ' || number || E'\n ' || coalesce(account_number, '') || E'\n ' || description || E'\n ' || holder_name);

-- Short pending lists: each search reads them through.
create index numbers_premium_search_idx on numbers
  using gin (premium_search_text(number, country, description) gin_trgm_ops)
  with (gin_pending_list_limit = 1024) where deleted_at is null;
create index numbers_stock_search_idx on numbers
  using gin (stock_search_text(number, country, operator, holder_name) gin_trgm_ops)
  with (gin_pending_list_limit = 1024) where deleted_at is null;
create index numbers_account_search_idx on numbers
  using gin (account_search_text(number, account_number, description, holder_name) gin_trgm_ops)
  with (gin_pending_list_limit = 1024) where deleted_at is null;
create index numbers_type_idx on numbers (type, id) where deleted_at is null;
create index numbers_country_code_idx on numbers (country_code, id) where deleted_at is null;
-- A client's own list in its usual order: a block of numbers held by one lies together in any other.
create index numbers_holder_created_idx on numbers (holder_id, created_at desc, id desc) where deleted_at is null;

-- Imports add rows that nobody holds and that mostly have a tariff: nothing is looked up for those.
create or replace function copy_for_number_lists() returns trigger language plpgsql as $$
begin
  if new.holder_id is null then
    new.holder_name := '';
  elsif tg_op = 'INSERT' or new.holder_id is distinct from old.holder_id then
    new.holder_name := coalesce((select username from users where id = new.holder_id), '');
  end if;
  new.sort_tariff_micro := coalesce(new.tariff_micro, range_tariff_micro(new.number), 0);
  return new;
end $$;

create index users_role_idx on users (role, id);
create index users_status_idx on users (status, id);

create function audit_search_text(actor text, action text, object_type text, object_id text, ip text) returns text
  language sql immutable parallel safe
  return lower(' ' || actor || E'\n ' || action || E'\n ' || object_type || E'\n ' || object_id || E'\n ' || ip);
create index audit_entries_search_idx on audit_entries
  using gin (audit_search_text(actor, action, object_type, object_id, ip) gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index audit_entries_action_idx on audit_entries (action, id desc);
create index audit_entries_at_idx on audit_entries (at);

-- What the planner knows of the search texts. From a hundred samples on it believes them; with fewer it takes rare words
-- for frequent ones and reads the table through.
create statistics numbers_premium_search_stats on (premium_search_text(number, country, description)) from numbers;
create statistics numbers_stock_search_stats
  on (stock_search_text(number, country, operator, holder_name)) from numbers;
create statistics numbers_account_search_stats
  on (account_search_text(number, account_number, description, holder_name)) from numbers;
create statistics audit_entries_search_stats
  on (audit_search_text(actor, action, object_type, object_id, ip)) from audit_entries;
alter statistics numbers_premium_search_stats set statistics 300;
alter statistics numbers_stock_search_stats set statistics 300;
alter statistics numbers_account_search_stats set statistics 300;
alter statistics audit_entries_search_stats set statistics 300;
analyze numbers, audit_entries;
