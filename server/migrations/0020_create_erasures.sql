-- Erasures of what is stored under a subscriber's number, asked by one admin and approved by another.

create table erasures (
  id int generated always as identity primary key,
  number text, -- Its digits; null once it is erased, or somebody cancelled it.
  masked text not null, -- As the audit log has it.
  reason text not null,
  requested_by int not null references users, requested_at timestamptz not null,
  approved_by int references users,
  approved_at timestamptz, -- Messages of before are erased, later ones are new data.
  cancelled_by int references users, cancelled_at timestamptz, done_at timestamptz,
  waits_for text check (waits_for in ('case', 'statements')), -- Why it does not go on; null while it does.
  -- How far it came: through the records, the newest first, and then several times through the tables beside them.
  stage text not null default 'records' check (stage in ('records', 'tables')),
  record_at timestamptz, record_id bigint,
  long_number_ids int[] not null default '{}', -- Numbers that got long messages of the subscriber.
  round smallint not null default 1, step smallint not null default 0,
  block_id bigint not null default 0, round_count bigint not null default 0,
  settles_at timestamptz, -- Transactions that began before may still write what they read before.
  record_count bigint not null default 0, row_count bigint not null default 0,
  check (approved_by <> requested_by), check ((approved_by is null) = (approved_at is null)),
  check ((cancelled_by is null) = (cancelled_at is null)),
  check ((number is null) = (done_at is not null or cancelled_at is not null))
);
comment on table erasures is 'The erasure of what is stored under a subscriber''s number. [acts]';
create unique index erasures_number_key on erasures (number) where number is not null;

-- Puts the pseudonym in the place of a sender in records, whatever else is in them. Gives their periods, by which signed
-- statements name them.
create function erase_sender(created_ats timestamptz[], record_ids bigint[], forms text[], pseudonym text)
returns table (cycle_id int, client_id int)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  found records[] := array(select l from lock_records(created_ats, record_ids) l where l.sender = any(forms));
  ats timestamptz[];
  ids bigint[];
begin
  if cardinality(found) = 0 then return; end if;
  select array_agg(f.created_at), array_agg(f.id) into ats, ids from unnest(found) f;
  update records r set sender = pseudonym
  from unnest(ats, ids) k (created_at, id) where r.created_at = k.created_at and r.id = k.id;
  return query select f.cycle_id, f.client_id from unnest(found) f;
end $$;
