-- Eight signatures become a wide one: for each token the bytes of all eight side by side, so that a search over ten
-- million records reads twenty places for a token and not a hundred and fifty (decision 20).
alter table record_signatures
  -- How many it was made of; 1 for one as it was built.
  add column part_count int not null default 1,
  -- Of a wide one: the ids of those it was made of, by which segments still name them, and their times.
  add column part_ids bigint[],
  add column part_tos timestamptz[],
  add check (part_count = coalesce(cardinality(part_ids), 1) and part_count = coalesce(cardinality(part_tos), 1));

-- Folds the eight oldest that are not wide yet, in the order of the log; false when there are fewer. `slice_bytes` are
-- those of a token in one of them. Here and not in the gateway, which would have to hold sixty megabytes for it.
create function fold_signatures(slice_bytes int) returns boolean language plpgsql as $$
declare
  ids bigint[];
  tos timestamptz[];
  a bytea; b bytea; c bytea; d bytea; e bytea; f bytea; g bytea; h bytea;
begin
  select array_agg(s.id order by s.id), array_agg(s.created_to order by s.id) into ids, tos
  from (select id, created_to from record_signatures where part_count = 1 order by id limit 8) s;
  if ids is null or cardinality(ids) < 8 then return false; end if;
  -- Joined to nothing, a stored value is unpacked once and not for each piece that is cut out of it.
  a := (select slices || ''::bytea from record_signatures where id = ids[1]);
  b := (select slices || ''::bytea from record_signatures where id = ids[2]);
  c := (select slices || ''::bytea from record_signatures where id = ids[3]);
  d := (select slices || ''::bytea from record_signatures where id = ids[4]);
  e := (select slices || ''::bytea from record_signatures where id = ids[5]);
  f := (select slices || ''::bytea from record_signatures where id = ids[6]);
  g := (select slices || ''::bytea from record_signatures where id = ids[7]);
  h := (select slices || ''::bytea from record_signatures where id = ids[8]);
  insert into record_signatures (created_from, created_to, part_count, part_ids, part_tos, slices)
  select min(s.created_from), max(s.created_to), 8, ids, tos, (
    select string_agg(
      substring(a from at for slice_bytes) || substring(b from at for slice_bytes)
        || substring(c from at for slice_bytes) || substring(d from at for slice_bytes)
        || substring(e from at for slice_bytes) || substring(f from at for slice_bytes)
        || substring(g from at for slice_bytes) || substring(h from at for slice_bytes), ''::bytea)
    from generate_series(1, length(a), slice_bytes) at)
  from record_signatures s where s.id = any(ids);
  delete from record_signatures where id = any(ids);
  return true;
end $$;
