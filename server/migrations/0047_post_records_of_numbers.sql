-- Records of a number are found by lists that the follower of the log makes, 65,000 records at a time, and no longer by
-- an index, whose pages were a fifth of what storing a message cost. See docs/decisions/0020.
drop index records_number_idx;

-- The follower builds the search tables anew; until it has, searches read the records themselves.
truncate record_segments, record_signatures;
update record_search_position set xid = '0', batch = 0;

-- As the other lists of a segment: one place for each record, in log order.
alter table record_segments add column number_ids int[] not null;
alter table record_segments alter number_ids set storage external;

-- The keys of a number's records in the segments of one signature as it was built.
create table record_postings (
  number_id int not null,
  created_from timestamptz not null,
  created_to timestamptz not null,
  signature_id bigint not null,
  created_ats timestamptz[] not null,
  record_ids bigint[] not null,
  primary key (number_id, created_to, signature_id)
);
-- For the end of their time: they come nearly in its order.
create index record_postings_created_to_idx on record_postings using brin (created_to);

-- As before without the walk by number.
create or replace function walk_records(
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
