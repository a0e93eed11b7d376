-- One search index for each field of a number: in one for each list a field of several lists was written several times,
-- and half of an import went into that. A list looks at its own fields only, so what stands in another costs it nothing.
drop index numbers_premium_search_idx, numbers_stock_search_idx, numbers_account_search_idx;
drop statistics numbers_premium_search_stats, numbers_stock_search_stats, numbers_account_search_stats;
drop function premium_search_text, stock_search_text, account_search_text;

-- The space lets ' ab' find how words begin.
create function search_text(field text) returns text language sql immutable parallel safe
  return lower(' ' || coalesce(field, ''));

create index numbers_number_search_idx on numbers using gin (search_text(number) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null;
create index numbers_description_search_idx on numbers using gin (search_text(description) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null;
create index numbers_country_search_idx on numbers using gin (search_text(country) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null;
-- What an import leaves empty costs it nothing.
create index numbers_operator_search_idx on numbers using gin (search_text(operator) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null and operator <> '';
create index numbers_account_search_idx on numbers using gin (search_text(account_number) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null and account_number is not null;
create index numbers_holder_search_idx on numbers using gin (search_text(holder_name) gin_trgm_ops)
  with (gin_pending_list_limit = 4096) where deleted_at is null and holder_name <> '';

-- From a hundred samples on the planner believes what it knows of a text.
create statistics numbers_number_search_stats on (search_text(number)) from numbers;
create statistics numbers_description_search_stats on (search_text(description)) from numbers;
create statistics numbers_country_search_stats on (search_text(country)) from numbers;
create statistics numbers_operator_search_stats on (search_text(operator)) from numbers;
create statistics numbers_account_search_stats on (search_text(account_number)) from numbers;
create statistics numbers_holder_search_stats on (search_text(holder_name)) from numbers;
alter statistics numbers_number_search_stats set statistics 300;
alter statistics numbers_description_search_stats set statistics 300;
alter statistics numbers_country_search_stats set statistics 300;
alter statistics numbers_operator_search_stats set statistics 300;
alter statistics numbers_account_search_stats set statistics 300;
alter statistics numbers_holder_search_stats set statistics 300;
analyze numbers;
