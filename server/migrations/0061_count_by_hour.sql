-- What is refused and what comes, by the hour: what the page Trouble tells.

-- Refused messages. It takes the place of the table refusals, which counted by day.
create table refusal_hours (
  hour timestamptz not null,
  reason text not null,
  number text not null,
  gateway text not null,
  refused_count bigint not null,
  last_at timestamptz not null,
  primary key (hour, reason, number, gateway)
) with (fillfactor = 70);
insert into refusal_hours (hour, reason, number, gateway, refused_count, last_at)
select date_trunc('hour', last_at, 'UTC'), reason, number, gateway, sum(refused_count), max(last_at) from refusals
where day > (now() at time zone 'UTC')::date - 14 group by 1, 2, 3, 4;

-- Binds that were refused.
create table refused_binds (
  hour timestamptz not null,
  reason text not null,
  system_id text not null,
  address text not null,
  refused_count bigint not null,
  last_at timestamptz not null,
  primary key (hour, reason, system_id, address)
) with (fillfactor = 70);

-- Records by the hour in which they were stored, and by where they came from or the range that they belong to. A change of
-- a record's status adds nothing: it takes away as much as it adds.
create table traffic_hours (
  hour timestamptz not null,
  kind text not null check (kind in ('gateway', 'range')),
  item_id int not null,
  record_count bigint not null,
  primary key (hour, kind, item_id)
) with (fillfactor = 70);

create function add_traffic_hours() returns trigger language plpgsql as $$
declare
  kind text := tg_argv[0];
  item text := tg_argv[1];
begin
  if tg_op = 'INSERT' then
    execute format('
      insert into traffic_hours as kept
      select date_trunc(''hour'', clock_timestamp(), ''UTC''), %L, coalesce(%I, 0), sum(record_count) from added
      group by 3 having sum(record_count) <> 0
      on conflict (hour, kind, item_id) do update set record_count = kept.record_count + excluded.record_count',
      kind, item);
  else
    execute format('
      insert into traffic_hours as kept
      select date_trunc(''hour'', clock_timestamp(), ''UTC''), %L, coalesce(%I, 0), sum(record_count) from (
        select %I, record_count from added union all select %I, -record_count from taken
      ) c group by 3 having sum(record_count) <> 0
      on conflict (hour, kind, item_id) do update set record_count = kept.record_count + excluded.record_count',
      kind, item, item, item);
  end if;
  return null;
end $$;
create trigger record_gateway_days_inserted after insert on record_gateway_days
  referencing new table as added for each statement execute function add_traffic_hours('gateway', 'gateway_id');
create trigger record_gateway_days_updated after update on record_gateway_days
  referencing old table as taken new table as added
  for each statement execute function add_traffic_hours('gateway', 'gateway_id');
create trigger record_days_ranges_inserted after insert on record_days
  referencing new table as added for each statement execute function add_traffic_hours('range', 'range_id');
create trigger record_days_ranges_updated after update on record_days
  referencing old table as taken new table as added
  for each statement execute function add_traffic_hours('range', 'range_id');
