-- What lets every list of numbers be searched, filtered and sorted in any way without reading all of them:
-- see docs/decisions/0022.
create extension if not exists pg_trgm;

alter table numbers
  -- A copy of the holder's username, empty when nobody holds the number.
  add column holder_name text not null default '',
  -- The tariff in force, its own or its range's, as the lists sort by it. A range's change reaches it a moment later.
  add column sort_tariff_micro bigint not null default 0,
  add column stock_status text not null generated always as (
    case when status <> 'active' then 'suspended' when holder_id is not null then 'assigned' else 'available' end
  ) stored;

-- The narrowest range wins, as in catalog/range-index.ts.
create function range_tariff_micro(digits text) returns bigint language plpgsql stable as $$
begin
  return (
    select tariff_micro from ranges
    where deleted_at is null and length(start_number) = length(digits) and digits between start_number and end_number
    order by end_number::bigint - start_number::bigint, id limit 1);
end $$;

create function copy_for_number_lists() returns trigger language plpgsql as $$
begin
  new.holder_name := coalesce((select username from users where id = new.holder_id), '');
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

update numbers n set
  holder_name = coalesce((select username from users where id = n.holder_id), ''),
  sort_tariff_micro = coalesce(n.tariff_micro, range_tariff_micro(n.number), 0);

-- Whatever a search box of the lists looks at. Each field follows a space, so that ' ab' finds how words begin.
alter table numbers add column search_text text not null generated always as (
  lower(' ' || number || ' ' || country || ' ' || operator || ' ' || coalesce(account_number, '') || ' ' || holder_name
    || ' ' || description)
) stored;
-- A short pending list: each search reads it through.
create index numbers_search_idx on numbers using gin (search_text gin_trgm_ops) with (gin_pending_list_limit = 256)
  where deleted_at is null;
create index numbers_sort_tariff_idx on numbers (sort_tariff_micro, id) where deleted_at is null;
create index numbers_status_idx on numbers (status, id) where deleted_at is null;
create index numbers_stock_status_idx on numbers (stock_status, id) where deleted_at is null;
create index numbers_price_idx on numbers ((coalesce(price_micro, 0)), id) where deleted_at is null;
create index numbers_account_number_idx on numbers ((coalesce(account_number, '')), id) where deleted_at is null;
create index numbers_holder_name_idx on numbers (holder_name, id) where deleted_at is null;

-- Up to which change of ranges and imports sort_tariff_micro is right.
create table number_tariff_position (
  only_row boolean primary key default true check (only_row),
  catalog_version bigint not null
);
insert into number_tariff_position (catalog_version) select version from catalog;
