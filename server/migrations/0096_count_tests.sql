-- Tests of endpoints, for a minute: each is counted before it is sent, and stays counted when its endpoint is deleted.
create table endpoint_tests (
  id bigint generated always as identity primary key,
  -- Whose endpoint it was; null for one of the staff.
  user_id int references users,
  at timestamptz not null default clock_timestamp()
);
