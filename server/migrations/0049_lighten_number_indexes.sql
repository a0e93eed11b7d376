-- An import of a hundred thousand numbers wrote to fifteen indexes; it writes to nine now. See docs/decisions/0008.

-- Searches by number and description look into the gateway's memory.
drop index numbers_number_search_idx, numbers_description_search_idx;
drop statistics numbers_number_search_stats, numbers_description_search_stats;

-- Numbers of the least value stand in the order of their ids, which is an index already.
drop index numbers_type_idx, numbers_price_idx, numbers_account_number_idx, numbers_holder_name_idx;
create index numbers_type_idx on numbers (type, id) where deleted_at is null and type <> 'premium';
create index numbers_price_idx on numbers ((coalesce(price_micro, 0)), id)
  where deleted_at is null and price_micro <> 0;
create index numbers_account_number_idx on numbers ((coalesce(account_number, '')), id)
  where deleted_at is null and account_number <> '';
create index numbers_holder_name_idx on numbers (holder_name, id) where deleted_at is null and holder_name <> '';
