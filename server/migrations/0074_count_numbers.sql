-- Records by day and number. A follower of the log keeps it: the counter buffers know no numbers. Without states, which
-- change later; amounts never do.
create table record_number_days (
  day date not null,
  client_id int not null,
  number_id int not null,
  range_id int not null,
  gateway_id int not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (client_id, day, number_id, range_id, gateway_id)
) with (fillfactor = 80);
-- Days come in their order, so a small index finds those of everybody.
create index record_number_days_day_idx on record_number_days using brin (day);

-- Up to which batch of the log it is added up.
create table record_number_position (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null,
  batch bigint not null
);
insert into record_number_position (xid, batch) values ('0', 0);

-- The records of the batches that are not added up yet. Its plan is kept, as of records_of_batches.
create function records_not_in_number_days() returns setof records
language plpgsql stable rows 10000
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  counted record_number_position;
  batch record;
begin
  select * into counted from record_number_position;
  for batch in
    select b.id, b.created_from, b.created_to from record_batches b where (b.xid, b.id) > (counted.xid, counted.batch)
  loop
    return query
      select * from records r
      where r.created_at between batch.created_from and batch.created_to
        and r.id >= batch.id * 4096 and r.id < (batch.id + 1) * 4096
      order by r.created_at, r.id;
  end loop;
end $$;
