-- Refused messages of accounts by the command_status of the answer: what a supplier is shown of its own. They stand in
-- refusal_hours too, without the status: a node of the version before counts there alone.
create table refusal_statuses (
  gateway_id int not null,
  hour timestamptz not null,
  reason text not null,
  -- 0: the one that the reason always has.
  command_status bigint not null,
  number text not null,
  refused_count bigint not null,
  last_at timestamptz not null,
  primary key (gateway_id, hour, reason, command_status, number)
) with (fillfactor = 70);
