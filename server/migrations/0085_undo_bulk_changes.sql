-- Every act on many rows is kept for a week with what was there before, so that it can be undone as one. This takes the place
-- of the tables that only changes of numbers' statuses had.
create table bulk_changes (
  id bigint generated always as identity primary key,
  -- What was changed: number.status, range.status, user.status and so on.
  kind text not null,
  user_id int not null references users,
  made_at timestamptz not null,
  undone_at timestamptz
);

create table bulk_change_rows (
  change_id bigint not null references bulk_changes on delete cascade,
  object_id bigint not null,
  before text not null,
  -- Of the row after the change: undoing leaves alone what was changed since.
  mark text not null,
  primary key (change_id, object_id)
);

create index bulk_changes_made_at on bulk_changes (made_at);

insert into bulk_changes (id, kind, user_id, made_at, undone_at) overriding system value
  select id, 'number.status', user_id, made_at, undone_at from number_status_changes;
insert into bulk_change_rows (change_id, object_id, before, mark)
  select change_id, number_id, before_status, version::text from number_status_change_rows;
select setval(pg_get_serial_sequence('bulk_changes', 'id'), coalesce((select max(id) from bulk_changes), 0) + 1, false);

drop table number_status_change_rows;
drop table number_status_changes;
