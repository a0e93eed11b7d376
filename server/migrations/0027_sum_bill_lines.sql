-- What each client earned in an open cycle by number and rate: a job adds it up behind the traffic, so that a close
-- need not read the records. Rows are dropped once the cycle's bills have their lines.
create table record_line_sums (
  cycle_id int not null,
  -- 0: nobody.
  client_id int not null,
  number_id int not null,
  -- 0: none.
  rate_id int not null,
  settlement smallint not null,
  record_count bigint not null,
  amount_micro bigint not null,
  primary key (cycle_id, client_id, number_id, rate_id, settlement)
) with (fillfactor = 70);

-- Up to which batch of the log it is added up. What was stored before this table stays out: the counters say that sums
-- are missing, and the close of that cycle reads the records.
create table record_line_position (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null,
  batch bigint not null
);
insert into record_line_position (xid, batch)
  select coalesce(b.xid, '0'::xid8), coalesce(b.id, 0)
  from (select 1) one left join (select xid, id from record_batches order by xid desc, id desc limit 1) b on true;

-- Bills are made after the gate is open again, when a hold may have been released: what was held is noted in full.
-- Null where a node of the version before closed the cycle.
alter table cycle_held_records
  add column client_id int,
  add column number_id int,
  add column rate_id int,
  add column settlement smallint,
  add column amount_micro bigint;
