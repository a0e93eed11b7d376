-- A segment now lists its records with what may be asked of them and never changes, so that a search reads the list
-- and then only the records that match, instead of every record of the segment's time. See docs/decisions/0020.
-- The follower builds the search tables anew; until it has, searches read the records themselves.
truncate record_segments, record_signatures;
update record_search_position set xid = '0', batch = 0;

alter table record_segments
  drop column key_times,
  drop column key_ids,
  drop column record_count,
  -- One place in each of these for each record, in log order; 0 stands for nobody or no range.
  add column created_ats timestamptz[] not null,
  add column record_ids bigint[] not null,
  add column client_ids int[] not null,
  add column range_ids int[] not null,
  add column gateway_ids int[] not null,
  -- One line for each record, ASCII letters in lower case.
  add column senders text not null;
-- A search reads these of a hundred segments for a page: unpacking would take longer than all the rest.
alter table record_segments
  alter created_ats set storage external, alter record_ids set storage external, alter senders set storage external;

-- Records by their keys. Planning for all weeks takes longer than reading a page, so the plan is kept; as it may be
-- made while a week is still empty, it must not count on that.
create function records_at(created_ats timestamptz[], record_ids bigint[]) returns setof records
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return query
    select r.* from unnest(created_ats, record_ids) k (created_at, id)
    cross join lateral (
      select * from records r where r.created_at = k.created_at and r.id = k.id offset 0
    ) r;
end $$;

-- The newest records that one index leads to, below a place in the list. The plans are kept, see records_at; each looks
-- at no more rows than it was told.
create function walk_records(
  lead text, key int, owner int, since timestamptz, until timestamptz, before_at timestamptz, before_id bigint,
  rows_most int
) returns setof records
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  case lead
    when 'time' then return query
      select * from records r
      where r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'clientIds' then return query
      select * from records r
      where r.client_id = key and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'numberIds' then return query
      select * from records r
      where r.number_id = key and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    -- The partial indexes answer only when their own condition is written out.
    when 'statuses' then return query
      select * from records r
      where r.status = key::smallint and r.status <> 2 and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
    when 'clientStatuses' then return query
      select * from records r
      where r.client_id = owner and r.status = key::smallint and r.status <> 2
        and r.created_at >= since and r.created_at < until
        and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
      order by r.created_at desc, r.id desc limit rows_most;
  end case;
end $$;
