-- A status that was set on all numbers that a filter matched, with what was there before, so that it can be undone as one.
-- Kept for a week.
create table number_status_changes (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  status text not null check (status in ('active', 'inactive', 'suspended')),
  made_at timestamptz not null,
  undone_at timestamptz
);

create table number_status_change_rows (
  change_id bigint not null references number_status_changes on delete cascade,
  number_id int not null references numbers,
  before_status text not null,
  -- Of the number after the change: undoing leaves alone what was changed since.
  version int not null,
  primary key (change_id, number_id)
);
