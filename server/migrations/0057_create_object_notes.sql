-- What staff note about one object. The type and id are those of the audit log.
create table object_notes (
  id bigint generated always as identity primary key,
  object_type text not null,
  object_id text not null,
  author_id int not null references users,
  text text not null check (text <> '' and length(text) <= 2000),
  created_at timestamptz not null default clock_timestamp()
);
create index object_notes_object_idx on object_notes (object_type, object_id, id desc);
