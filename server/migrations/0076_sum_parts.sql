-- Sums of all clients by hour, range and gateway: what staff ask by range and supplier together reads a row for each of
-- these instead of one for each client.
create table record_part_hour_totals (
  hour timestamptz not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (hour, range_id, gateway_id, status)
) with (fillfactor = 70);

create table record_part_day_totals (
  day date not null,
  range_id int not null,
  gateway_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, range_id, gateway_id, status)
);

-- No fold may be between the old function and the new one, and no hour may move while both tables are read.
lock table record_tally_packs in share row exclusive mode;
lock table record_part_hours in share row exclusive mode;

create or replace function count_parts() returns trigger language plpgsql as $$
begin
  with parts as materialized (
    select to_timestamp(hour * 3600.0) as hour, client_id, range_id, gateway_id, kind % 8 as status,
      sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
      sum(amount_micro)::bigint as amount_micro
    from folded, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro, amounts_micro)
      as packed (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro)
    group by 1, 2, 3, 4, 5
  ),
  totals as (
    insert into record_part_hour_totals as kept
    select hour, range_id, gateway_id, status, sum(record_count), sum(bill_micro), sum(amount_micro)
    from parts group by 1, 2, 3, 4
    on conflict (hour, range_id, gateway_id, status) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro
  )
  insert into record_part_hours as kept
  select hour, client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro from parts
  on conflict (hour, client_id, range_id, gateway_id, status) do update set
    record_count = kept.record_count + excluded.record_count,
    bill_micro = kept.bill_micro + excluded.bill_micro,
    amount_micro = kept.amount_micro + excluded.amount_micro;
  return null;
end $$;

insert into record_part_hour_totals
select hour, range_id, gateway_id, status, sum(record_count), sum(bill_micro), sum(amount_micro)
from record_part_hours group by 1, 2, 3, 4;
insert into record_part_day_totals
select day, range_id, gateway_id, status, sum(record_count), sum(bill_micro), sum(amount_micro)
from record_part_days group by 1, 2, 3, 4;
