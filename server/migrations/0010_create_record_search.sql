-- Search of records: finds rare records among millions without an index on the table that every message writes to (decision
-- 20). A follower of the log builds these tables; it writes each row once.

create table record_blocks (
  id bigint generated always as identity primary key,
  created_from timestamptz not null, created_to timestamptz not null,
  -- The bloom filter of the block; null once it stands in record_block_groups, which then has it at `block_number`.
  bloom_filter bytea,
  group_id bigint, block_number smallint,
  -- One element in each of these for each record, in log order; 0 stands for no client or no range.
  created_ats timestamptz[] not null, record_ids bigint[] not null, number_ids int[] not null,
  client_ids int[] not null, range_ids int[] not null, gateway_ids int[] not null,
  senders text not null -- One line for each record, ASCII letters in lower case.
);
comment on table record_blocks is 'A block of the log, about 256 records in log order, with what may be searched for. [traffic]';
-- A search reads these of a hundred blocks for a page: unpacking them would take longer than all the rest. The filters live
-- until the next row of record_block_groups.
alter table record_blocks
  alter bloom_filter set storage external, alter created_ats set storage external, alter record_ids set storage external,
  alter number_ids set storage external, alter senders set storage external;
create index record_blocks_group_idx on record_blocks (group_id, block_number) where group_id is not null;
create index record_blocks_open_idx on record_blocks (id) where group_id is null;

-- For each slot a row of 32 bytes, one bit a block. Kept uncompressed, so that reading the bits of one slot does not read
-- the rest. Eight such rows are later merged into a wide one.
create table record_block_groups (
  id bigint generated always as identity primary key,
  created_from timestamptz not null, created_to timestamptz not null,
  part_count int not null default 1, -- How many rows it was made of; 1 for one as it was built.
  -- Of a wide row: the ids of those it was made of, by which record_blocks still names them, and their times.
  part_ids bigint[], part_tos timestamptz[],
  bit_rows bytea not null,
  check (part_count = coalesce(cardinality(part_ids), 1) and part_count = coalesce(cardinality(part_tos), 1))
);
comment on table record_block_groups is 'The bloom filters of 256 blocks, transposed. [traffic]';
alter table record_block_groups alter column bit_rows set storage external;
create index record_block_groups_created_to_idx on record_block_groups (created_to, id);

-- Merges the eight oldest rows that are not wide yet, in the order of the log: for each slot the bits of all eight side by
-- side, so that a search over ten million records reads twenty places for a slot and not a hundred and fifty. Returns
-- false when there are fewer than eight. `bit_row_bytes` are those of one slot in one row. Done here and not in the
-- gateway, which would need sixty megabytes for it.
create function merge_block_groups(bit_row_bytes int) returns boolean language plpgsql as $$
declare
  ids bigint[];
  tos timestamptz[];
  a bytea; b bytea; c bytea; d bytea; e bytea; f bytea; g bytea; h bytea;
begin
  select array_agg(s.id order by s.id), array_agg(s.created_to order by s.id) into ids, tos
  from (select id, created_to from record_block_groups where part_count = 1 order by id limit 8) s;
  if ids is null or cardinality(ids) < 8 then return false; end if;
  -- Concatenated with nothing, a stored value is unpacked once and not for each piece that is cut out of it.
  a := (select bit_rows || ''::bytea from record_block_groups where id = ids[1]);
  b := (select bit_rows || ''::bytea from record_block_groups where id = ids[2]);
  c := (select bit_rows || ''::bytea from record_block_groups where id = ids[3]);
  d := (select bit_rows || ''::bytea from record_block_groups where id = ids[4]);
  e := (select bit_rows || ''::bytea from record_block_groups where id = ids[5]);
  f := (select bit_rows || ''::bytea from record_block_groups where id = ids[6]);
  g := (select bit_rows || ''::bytea from record_block_groups where id = ids[7]);
  h := (select bit_rows || ''::bytea from record_block_groups where id = ids[8]);
  insert into record_block_groups (created_from, created_to, part_count, part_ids, part_tos, bit_rows)
  select min(s.created_from), max(s.created_to), 8, ids, tos, (
    select string_agg(
      substring(a from at for bit_row_bytes) || substring(b from at for bit_row_bytes)
        || substring(c from at for bit_row_bytes) || substring(d from at for bit_row_bytes)
        || substring(e from at for bit_row_bytes) || substring(f from at for bit_row_bytes)
        || substring(g from at for bit_row_bytes) || substring(h from at for bit_row_bytes), ''::bytea)
    from generate_series(1, length(a), bit_row_bytes) at)
  from record_block_groups s where s.id = any(ids);
  delete from record_block_groups where id = any(ids);
  return true;
end $$;

create table record_postings (
  number_id int not null,
  created_from timestamptz not null, created_to timestamptz not null,
  group_id bigint not null,
  created_ats timestamptz[] not null, record_ids bigint[] not null,
  primary key (number_id, created_to, group_id)
);
comment on table record_postings is 'The keys of a number''s records in the blocks of one row of record_block_groups as it was built: an inverted index. [traffic]';
-- For deleting what is too old: rows come nearly in the order of this time.
create index record_postings_created_to_idx on record_postings using brin (created_to);

-- Client 0 stands for none, -2 for tests: the number has a record, but no traffic.
create table record_numbers (
  client_id int not null, number_id int not null,
  primary key (client_id, number_id)
);
comment on table record_numbers is 'A number that has records of a client. [people]';
create index record_numbers_number_idx on record_numbers (number_id);

create table record_number_counts (
  client_id int primary key, number_count int not null
) with (fillfactor = 50);
comment on table record_number_counts is 'How many numbers have records of a client; client -1 counts each number once. Written with record_numbers. [people]';

-- The batches that are not in the tables above yet. Its plan is kept, as of records_at.
create function batches_behind()
returns table (id bigint, record_count smallint, created_from timestamptz, created_to timestamptz)
language plpgsql stable rows 1000
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  indexed follower_positions;
begin
  select * into indexed from follower_positions where follower = 'search';
  return query
    select b.id, b.record_count, b.created_from, b.created_to from record_batches b
    where (b.xid, b.id) > (indexed.xid, indexed.batch);
end $$;

-- The numbers of at most `batches_most` such batches, which record_numbers does not have yet; a number may come several
-- times. Its plan is kept, as of records_at.
create function numbers_behind(batches_most int) returns table (client_id int, number_id int) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  indexed follower_positions;
  batch record;
begin
  select * into indexed from follower_positions where follower = 'search';
  for batch in
    select t.id, t.created_from, t.created_to from record_batches t
    where (t.xid, t.id) > (indexed.xid, indexed.batch) order by t.xid, t.id limit batches_most
  loop
    return query
      select case when r.flags & 128 <> 0 then -2 else coalesce(r.client_id, 0) end, r.number_id from records r
      where r.created_at between batch.created_from and batch.created_to
        and r.id >= batch.id * 4096 and r.id < (batch.id + 1) * 4096
      order by r.created_at, r.id;
  end loop;
end $$;

-- Those of the numbers that have records; null in place of a number's id when more than batches_most batches are not in
-- record_numbers yet, so that nothing can be said.
create function numbers_with_records(asked int[], batches_most int) returns setof int
language plpgsql stable as $$
begin
  if (select count(*) from (
        select from record_batches t, follower_positions p where p.follower = 'search' and (t.xid, t.id) > (p.xid, p.batch)
        limit batches_most + 1) behind) > batches_most
  then
    return next null; return;
  end if;
  return query
    select wanted.id from unnest(asked) wanted (id)
    where exists (select from record_numbers r where r.number_id = wanted.id)
    union
    select b.number_id from numbers_behind(batches_most) b where b.number_id = any(asked);
end $$;

-- Which lines of a block's senders contain a text, each once and in order. As many line breaks as stand before a match, so
-- many lines stand before it; cutting the text once at every match and counting octets takes half as long as looking for
-- one match after another. A text with many matches is looked for line by line.
create function lines_with(senders text, part text) returns int[]
language plpgsql immutable strict parallel safe as $$
declare
  pieces text[] := string_to_array(senders, part);
  line int := 1;
  found int[] := '{}';
begin
  if cardinality(pieces) > 16 then
    return array(
      select nth::int from string_to_table(senders, E'\n') with ordinality t (sender, nth)
      where strpos(sender, part) > 0 order by nth
    );
  end if;
  for place in 1 .. cardinality(pieces) - 1 loop
    line := line + octet_length(pieces[place]) - octet_length(replace(pieces[place], E'\n', ''));
    if found[cardinality(found)] is distinct from line then found := found || line; end if;
  end loop;
  return found;
end $$;
