-- An import is kept with who made it, so that it can be undone as one.
create sequence number_import_id_seq as int;

-- The import that added this number; null for every other one. Without a foreign key: the rows of an import are written
-- before its own row is.
alter table numbers add column import_id int;

-- Null for imports before this migration, which cannot be undone as one.
alter table number_imports
  add column id int unique,
  add column user_id int references users,
  add column file_name text not null default '',
  add column line_count int not null default 0,
  add column added_count int not null default 0,
  add column imported_at timestamptz,
  -- Its numbers are removed some at a time. Set with the first of them, and when the last one was looked at.
  add column undo_began_at timestamptz,
  add column undone_at timestamptz,
  add column undone_by int references users,
  add column removed_count int not null default 0,
  add check ((id is null) = (imported_at is null)),
  add check (undone_at is null or undo_began_at is not null);

-- Those of the numbers that have records; null in place of a number's id when more than batches_most batches are not in
-- record_numbers yet, so that nothing can be said.
create function numbers_with_records(asked int[], batches_most int) returns setof int
language plpgsql stable as $$
begin
  if (select count(*) from (
        select from record_batches t, record_search_position p where (t.xid, t.id) > (p.xid, p.batch)
        limit batches_most + 1) behind) > batches_most
  then
    return next null;
    return;
  end if;
  return query
    select wanted.id from unnest(asked) wanted (id)
    where exists (select from record_numbers r where r.number_id = wanted.id)
    union
    select b.number_id from numbers_behind(batches_most) b where b.number_id = any(asked);
end $$;
