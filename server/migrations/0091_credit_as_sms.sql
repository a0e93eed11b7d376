-- As before (0079), with the SMS that each message counts as: who backdates a holding is credited for them.
drop function unowned_records(int, timestamptz, timestamptz, int);
create function unowned_records(number int, since timestamptz, until timestamptz, rows_most int)
returns table (created_at timestamptz, id bigint, cycle_id int, sms_count smallint)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
    select r.created_at, r.id, r.cycle_id, r.sms_count from records r
    where r.client_id is null and r.number_id = number and r.created_at >= since and r.created_at < until
      and r.sms_count > 0
    order by r.client_id, r.created_at, r.id limit rows_most;
end $$;

do $$
declare
  is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $q$select exists (select from pg_dist_partition where logicalrelid = 'records'::regclass)$q$ into is_spread;
  end if;
  if is_spread then
    alter function unowned_records(int, timestamptz, timestamptz, int) reset plan_cache_mode;
  end if;
end $$;
