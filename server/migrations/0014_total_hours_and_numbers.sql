-- What the dashboard of the staff asks for: the hours of all clients together, and how many numbers have had records.
-- Triggers keep both, whoever adds to the tables they stand on; both are written by one worker at a time.
create table record_hour_totals (
  hour timestamptz not null,
  status smallint not null,
  record_count bigint not null,
  primary key (hour, status)
) with (fillfactor = 50);

create function add_hour_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into record_hour_totals as kept
    select hour, status, sum(record_count) from added group by 1, 2
    on conflict (hour, status) do update set record_count = kept.record_count + excluded.record_count;
  else
    insert into record_hour_totals as kept
    select hour, status, sum(record_count) from (
      select hour, status, record_count from added union all select hour, status, -record_count from taken
    ) c group by 1, 2
    on conflict (hour, status) do update set record_count = kept.record_count + excluded.record_count;
  end if;
  return null;
end $$;
create trigger record_hours_inserted after insert on record_hours
  referencing new table as added for each statement execute function add_hour_totals();
create trigger record_hours_updated after update on record_hours
  referencing old table as taken new table as added for each statement execute function add_hour_totals();

-- client_id as in record_numbers; -1 counts each number once, whoever held it.
create table record_number_counts (
  client_id int primary key,
  number_count int not null
) with (fillfactor = 50);
create index record_numbers_number_idx on record_numbers (number_id);

create function add_number_counts() returns trigger language plpgsql as $$
begin
  insert into record_number_counts as kept
  select client_id, count(*) from added group by 1
  union all
  select -1, count(distinct a.number_id) from added a
  where not exists (
    select from record_numbers n where n.number_id = a.number_id
      and not exists (select from added b where b.number_id = n.number_id and b.client_id = n.client_id)
  )
  on conflict (client_id) do update set number_count = kept.number_count + excluded.number_count;
  return null;
end $$;
create trigger record_numbers_inserted after insert on record_numbers
  referencing new table as added for each statement execute function add_number_counts();

insert into record_hour_totals select hour, status, sum(record_count) from record_hours group by 1, 2;
insert into record_number_counts
select client_id, count(*) from record_numbers group by 1
union all select -1, count(distinct number_id) from record_numbers;

-- The numbers of the newest batches, which record_numbers does not know yet. Its plan is kept, see records_at.
create function numbers_behind(batches_most int) returns table (client_id int, number_id int)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
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
      offset 0
    ) r;
end $$;
