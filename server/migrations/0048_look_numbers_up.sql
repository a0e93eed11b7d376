-- Tells which numbers of an import are there already, each looked up in the index of numbers whatever PostgreSQL knows
-- of the table. A connection that once planned this while there were a few numbers, or none, would read all of them for
-- each look-up until PostgreSQL counts them anew. Only that index has this order, and nothing may be sorted.
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
