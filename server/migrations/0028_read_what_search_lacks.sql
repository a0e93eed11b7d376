-- The batches that the search tables do not know yet. Each search asks for them, and planning for all weeks took longer
-- than the answer, so the plan is kept, see records_at.
create function batches_behind()
returns table (id bigint, record_count smallint, created_from timestamptz, created_to timestamptz)
language plpgsql stable rows 1000
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return query
    select t.id, t.record_count, t.created_from, t.created_to
    from record_search_position p cross join lateral (
      select * from record_batches b where (b.xid, b.id) > (p.xid, p.batch) offset 0
    ) t;
end $$;
