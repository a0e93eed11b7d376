-- Holdings over time, also of deleted numbers: nobody shares digits with somebody else, and what a number received while
-- nobody held it can be credited later.

create index numbers_former_idx on numbers (number) where deleted_at is not null;

-- Whether somebody else held the digits of a number at a time when the number was held: they may belong to deleted numbers
-- too, whose late messages still come. The caller has closed the traffic gate, so two changes do not cross here.
create function shares_digits(own_id int) returns boolean
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  digits text := (select n.number from numbers n where n.id = own_id);
  others int[] := array(
    select n.id from numbers n where n.number = digits and n.deleted_at is not null and n.id <> own_id
    union all select n.id from numbers n where n.number = digits and n.deleted_at is null and n.id <> own_id
  );
begin
  if cardinality(others) = 0 then return false; end if;
  return exists (
    select from number_holders own join number_holders other
      on tstzrange(own.held_from, own.held_to) && tstzrange(other.held_from, other.held_to)
    where own.number_id = own_id and other.number_id = any(others));
end $$;

-- Named like the constraint that says the same of one number. Few numbers have digits that a deleted one had.
create function refuse_shared_digits() returns trigger
language plpgsql
set enable_seqscan = off
as $$
declare
  own_id int;
  is_former boolean;
begin
  if tg_table_name = 'numbers' then own_id := new.id; else own_id := new.number_id; end if;
  select exists (select from numbers f where f.number = n.number and f.deleted_at is not null) into is_former
  from numbers n where n.id = own_id;
  if is_former and shares_digits(own_id) then
    raise exclusion_violation using message = 'somebody else held these digits at that time',
      constraint = 'number_holders_no_overlap';
  end if;
  return null;
end $$;
create trigger number_holders_share_no_digits after insert or update of held_from, held_to on number_holders
  for each row execute function refuse_shared_digits();
create trigger numbers_share_no_digits after update of number on numbers
  for each row when (old.number <> new.number) execute function refuse_shared_digits();

-- The messages that an adjustment credits: received while nobody held their number. A message is credited once.
create table adjustment_records (
  adjustment_id bigint not null references adjustments,
  record_created_at timestamptz not null,
  record_id bigint not null unique,
  -- The cycle in which the message came.
  cycle_id int not null references cycles,
  rate_id int not null references rates,
  amount_micro bigint not null check (amount_micro > 0),
  primary key (adjustment_id, record_created_at, record_id)
);

-- Adjustments that come with a holding which is to begin earlier: at held_from instead of at held_to. Once it is posted,
-- the holding begins there.
create table backdatings (
  adjustment_id bigint primary key references adjustments,
  number_id int not null references numbers,
  held_from timestamptz not null,
  held_to timestamptz not null,
  -- How many messages it credits. Those of a rejected one are in adjustment_records no longer.
  record_count int not null check (record_count > 0),
  check (held_to > held_from)
);
create index backdatings_number_idx on backdatings (number_id);

-- The messages to a number that nobody held, oldest first. They stand at the end of the index by client, since their client
-- is null; the order leads the planner there.
create function unowned_records(number int, since timestamptz, until timestamptz, rows_most int)
returns table (created_at timestamptz, id bigint, cycle_id int)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
    select r.created_at, r.id, r.cycle_id from records r
    where r.client_id is null and r.number_id = number and r.created_at >= since and r.created_at < until
    order by r.client_id, r.created_at, r.id limit rows_most;
end $$;

-- As walk_records (0008), for records that nobody owns.
create function walk_unowned_records(
  since timestamptz, until timestamptz, before_at timestamptz, before_id bigint, rows_most int
) returns setof records
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
    select * from records r
    where r.client_id is null and r.created_at >= since and r.created_at < until
      and r.created_at <= before_at and (r.created_at, r.id) < (before_at, before_id)
    order by r.client_id desc, r.created_at desc, r.id desc limit rows_most;
end $$;

-- Where records are spread over servers already, plans are not kept (0022).
do $$
declare
  is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $q$select exists (select from pg_dist_partition where logicalrelid = 'records'::regclass)$q$ into is_spread;
  end if;
  if is_spread then
    alter function unowned_records(int, timestamptz, timestamptz, int) reset plan_cache_mode;
    alter function walk_unowned_records(timestamptz, timestamptz, timestamptz, bigint, int) reset plan_cache_mode;
  end if;
end $$;
