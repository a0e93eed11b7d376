-- What Analytics adds up where no counter by day has it: hours, and range and supplier together.

-- Records by the hour and everything that the counter buffers tell apart. A job moves hours older than two weeks into the
-- days below.
create table record_part_hours (
  hour timestamptz not null,
  client_id int not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (hour, client_id, range_id, gateway_id, status)
) with (fillfactor = 70);

create table record_part_days (
  day date not null,
  client_id int not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, client_id, range_id, gateway_id, status)
);

-- Whoever folds the buffers deletes them, a node of the version before too.
create function count_parts() returns trigger language plpgsql as $$
begin
  insert into record_part_hours as kept
  select to_timestamp(hour * 3600.0), client_id, range_id, gateway_id, kind % 8,
    sum(record_count), sum(bill_micro), sum(amount_micro)
  from folded, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro, amounts_micro)
    as packed (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro)
  group by hour, client_id, range_id, gateway_id, kind % 8
  on conflict (hour, client_id, range_id, gateway_id, status) do update set
    record_count = kept.record_count + excluded.record_count,
    bill_micro = kept.bill_micro + excluded.bill_micro,
    amount_micro = kept.amount_micro + excluded.amount_micro;
  return null;
end $$;
-- Its lock keeps the buffers as they are until the records below are counted.
create trigger record_tally_packs_folded after delete on record_tally_packs
  referencing old table as folded for each statement execute function count_parts();

-- The records that were stored before, less what is still in the buffers.
insert into record_part_hours
select hour, client_id, range_id, gateway_id, status, sum(record_count), sum(bill_micro), sum(amount_micro) from (
  select date_trunc('hour', created_at, 'UTC') as hour, coalesce(client_id, 0) as client_id,
    coalesce(range_id, 0) as range_id, gateway_id, status, count(*) as record_count,
    sum(bill_micro) as bill_micro, sum(amount_micro) as amount_micro
  from records where created_at >= date_trunc('day', now(), 'UTC') - interval '15 days' group by 1, 2, 3, 4, 5
  union all
  select hour, client_id, range_id, gateway_id, status, -record_count, -bill_micro, -amount_micro from record_tallies
  where hour >= date_trunc('day', now(), 'UTC') - interval '15 days'
) c group by 1, 2, 3, 4, 5;
insert into record_part_days
select day, client_id, range_id, gateway_id, status, sum(record_count), sum(bill_micro), sum(amount_micro) from (
  select (created_at at time zone 'UTC')::date as day, coalesce(client_id, 0) as client_id,
    coalesce(range_id, 0) as range_id, gateway_id, status, count(*) as record_count,
    sum(bill_micro) as bill_micro, sum(amount_micro) as amount_micro
  from records where created_at < date_trunc('day', now(), 'UTC') - interval '15 days' group by 1, 2, 3, 4, 5
  union all
  select (hour at time zone 'UTC')::date, client_id, range_id, gateway_id, status, -record_count, -bill_micro,
    -amount_micro from record_tallies
  where hour < date_trunc('day', now(), 'UTC') - interval '15 days'
) c group by 1, 2, 3, 4, 5;
