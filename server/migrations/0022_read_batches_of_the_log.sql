-- The records of batches of the log, from the place `firsts` to below `beyonds` in each. Its plan is kept, see records_at.
-- The order is for the planner: it leads by the primary key, not by a client's index, which has to be searched once for
-- every client.
create function records_of_batches(
  batch_ids bigint[], created_froms timestamptz[], created_tos timestamptz[], firsts int[], beyonds int[]
) returns setof records
language plpgsql stable rows 1000
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
    select r.* from unnest(batch_ids, created_froms, created_tos, firsts, beyonds)
      b (id, created_from, created_to, first, beyond)
    cross join lateral (
      select * from records s
      where s.created_at between b.created_from and b.created_to
        and s.id >= b.id * 4096 + b.first and s.id < b.id * 4096 + b.beyond
      order by s.created_at, s.id
      offset 0
    ) r;
end $$;
