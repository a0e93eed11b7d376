-- Messages that were stored while their answer may never have reached the sender, and what came again for them.

create table unanswered_records (
  record_id bigint primary key,
  record_created_at timestamptz not null,
  -- The account that sent it.
  user_id int not null references users,
  -- Of sender, destination, coding, header and text.
  fingerprint bytea not null,
  at timestamptz not null default clock_timestamp(),
  -- When the same message came again and was taken for a repetition; that happens once.
  repeated_at timestamptz
);
create index unanswered_records_user_idx on unanswered_records (user_id, at);
create index unanswered_records_at_idx on unanswered_records (at);

-- Records that repeat another one: held from billing until somebody has looked.
create table duplicate_records (
  record_id bigint primary key,
  record_created_at timestamptz not null,
  duplicate_of_id bigint not null,
  duplicate_of_created_at timestamptz not null
);
