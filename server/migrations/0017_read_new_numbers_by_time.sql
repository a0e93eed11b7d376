-- The order is for the planner: it leads by the primary key, not by a client's index, which has to be searched once for
-- every client.
create or replace function numbers_behind(batches_most int) returns table (client_id int, number_id int)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
    select distinct coalesce(r.client_id, 0), r.number_id
    from record_search_position p
    cross join lateral (
      select t.id, t.created_from, t.created_to from record_batches t
      where (t.xid, t.id) > (p.xid, p.batch) order by t.xid, t.id limit batches_most
    ) b
    cross join lateral (
      select s.client_id, s.number_id from records s
      where s.created_at between b.created_from and b.created_to
        and s.id >= b.id * 4096 and s.id < (b.id + 1) * 4096
      order by s.created_at, s.id
      offset 0
    ) r;
end $$;
