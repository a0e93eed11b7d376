-- The days of each client over all ranges: a month by client, and the days on which a client has open records, are some
-- thousand rows instead of fifty thousand. Kept by the triggers that keep record_day_totals.
create table record_client_days (
  day date not null,
  client_id int not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, client_id, status)
) with (fillfactor = 70);
create index record_client_days_client_idx on record_client_days (client_id, day);

create or replace function add_day_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    with sums as materialized (
      select day, client_id, status, sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
        sum(amount_micro)::bigint as amount_micro
      from added group by 1, 2, 3
    ),
    client_days as (
      insert into record_client_days as kept select * from sums
      on conflict (day, client_id, status) do update set record_count = kept.record_count + excluded.record_count,
        bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro
    )
    insert into record_day_totals as kept
    select day, status, sum(record_count), sum(bill_micro), sum(amount_micro) from sums group by 1, 2
    on conflict (day, status) do update set record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro;
  else
    with sums as materialized (
      select day, client_id, status, sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
        sum(amount_micro)::bigint as amount_micro
      from (
        select day, client_id, status, record_count, bill_micro, amount_micro from added
        union all select day, client_id, status, -record_count, -bill_micro, -amount_micro from taken
      ) c group by 1, 2, 3
    ),
    client_days as (
      insert into record_client_days as kept select * from sums
      on conflict (day, client_id, status) do update set record_count = kept.record_count + excluded.record_count,
        bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro
    )
    insert into record_day_totals as kept
    select day, status, sum(record_count), sum(bill_micro), sum(amount_micro) from sums group by 1, 2
    on conflict (day, status) do update set record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro;
  end if;
  return null;
end $$;
create or replace function empty_day_totals() returns trigger language plpgsql as $$
begin
  truncate record_day_totals, record_client_days;
  return null;
end $$;

insert into record_client_days
select day, client_id, status, sum(record_count), sum(bill_micro), sum(amount_micro) from record_days
group by 1, 2, 3 order by 1, 2, 3;
