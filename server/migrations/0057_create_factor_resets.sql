-- An admin's wish that another admin's second factor be removed; a third one approves it by the same call.
create table factor_resets (
  user_id int primary key references users,
  requested_by int not null references users,
  requested_at timestamptz not null,
  check (requested_by <> user_id)
);
