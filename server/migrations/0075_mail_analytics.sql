-- Views of Analytics that are mailed to who made them. `look` is JSON of the contract: filters and dimensions.
create table analytics_mails (
  id int generated always as identity primary key,
  user_id int not null references users on delete cascade,
  name text not null,
  every text not null check (every in ('day', 'week', 'month')),
  look jsonb not null,
  -- The UTC day on which the next one is sent.
  next_on date not null,
  unique (user_id, name)
);
create index analytics_mails_next_idx on analytics_mails (next_on, id);
