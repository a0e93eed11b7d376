-- The days of all clients together: a report over all traffic reads some hundred rows instead of fifty thousand. Kept
-- by triggers, as record_hour_totals is.
create table record_day_totals (
  day date not null,
  status smallint not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (day, status)
) with (fillfactor = 50);

create function add_day_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into record_day_totals as kept
    select day, status, sum(record_count), sum(bill_micro), sum(amount_micro) from added group by 1, 2
    on conflict (day, status) do update set record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro;
  else
    insert into record_day_totals as kept
    select day, status, sum(record_count), sum(bill_micro), sum(amount_micro) from (
      select day, status, record_count, bill_micro, amount_micro from added
      union all select day, status, -record_count, -bill_micro, -amount_micro from taken
    ) c group by 1, 2
    on conflict (day, status) do update set record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro;
  end if;
  return null;
end $$;
create trigger record_days_inserted after insert on record_days
  referencing new table as added for each statement execute function add_day_totals();
create trigger record_days_updated after update on record_days
  referencing old table as taken new table as added for each statement execute function add_day_totals();
-- A table that is emptied has no days left.
create function empty_day_totals() returns trigger language plpgsql as $$
begin
  truncate record_day_totals;
  return null;
end $$;
create trigger record_days_emptied after truncate on record_days
  for each statement execute function empty_day_totals();

insert into record_day_totals
select day, status, sum(record_count), sum(bill_micro), sum(amount_micro) from record_days group by 1, 2;
