-- Records by week and number, of all gateways: a month by number reads one row for most weeks of a number instead of one
-- for each of its days.
create table record_number_weeks (
  -- Its Monday.
  week date not null,
  client_id int not null,
  number_id int not null,
  range_id int not null,
  record_count bigint not null,
  bill_micro bigint not null,
  amount_micro bigint not null,
  primary key (week, number_id, client_id, range_id)
) with (fillfactor = 70);

-- Whoever counts the days counts the weeks, a node of the version before too. Days that are deleted with their records
-- leave the weeks alone: retention deletes both by whole weeks.
create function count_number_weeks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into record_number_weeks as kept
    select date_trunc('week', day)::date, client_id, number_id, range_id,
      sum(record_count), sum(bill_micro), sum(amount_micro)
    from added group by 1, 2, 3, 4
    on conflict (week, number_id, client_id, range_id) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro;
  else
    insert into record_number_weeks as kept
    select date_trunc('week', day)::date, client_id, number_id, range_id,
      sum(record_count), sum(bill_micro), sum(amount_micro)
    from (
      select day, client_id, number_id, range_id, record_count, bill_micro, amount_micro from added
      union all
      select day, client_id, number_id, range_id, -record_count, -bill_micro, -amount_micro from removed
    ) changed group by 1, 2, 3, 4
    on conflict (week, number_id, client_id, range_id) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro;
  end if;
  return null;
end $$;
-- Its lock keeps the days as they are until the weeks below are counted.
create trigger record_number_days_added after insert on record_number_days
  referencing new table as added for each statement execute function count_number_weeks();
create trigger record_number_days_changed after update on record_number_days
  referencing old table as removed new table as added for each statement execute function count_number_weeks();

insert into record_number_weeks
select date_trunc('week', day)::date, client_id, number_id, range_id,
  sum(record_count), sum(bill_micro), sum(amount_micro)
from record_number_days group by 1, 2, 3, 4 order by 1;
