-- A number is written to fewer indexes, and to some only where it has something to say there: an import of a hundred
-- thousand waits for each of them a hundred thousand times (decision 22).

-- Numbers have few countries: a search finds those first, and then numbers by the index of their order.
drop index numbers_country_search_idx;
drop statistics numbers_country_search_stats;

-- Lists of a holder's numbers are read from numbers_holder_created_idx; what nobody holds is in no such list.
drop index numbers_holder_id_idx;
drop index numbers_holder_created_idx;
create index numbers_holder_created_idx on numbers (holder_id, created_at desc, id desc)
  where deleted_at is null and holder_id is not null;

alter table numbers drop constraint numbers_account_number_key;
create unique index numbers_account_number_key on numbers (account_number) where account_number is not null;

-- What an import brought has version 0 and is found by number_imports.
drop index numbers_catalog_version_idx;
create index numbers_catalog_version_idx on numbers (catalog_version) where catalog_version > 0;

-- Read backwards for the newest first. New rows come at its end, where adding is cheapest.
drop index numbers_created_at_idx;
create index numbers_created_at_idx on numbers (created_at, id) where deleted_at is null;
