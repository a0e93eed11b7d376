-- What a supplier is shown of its own.

-- Delivery receipts by account and hour: what it took, and what it did not take in time or refused.
create table receipt_hours (
  user_id int not null,
  hour timestamptz not null,
  taken_count bigint not null,
  failed_count bigint not null,
  primary key (user_id, hour)
) with (fillfactor = 70);

-- Its refused binds.
create index refused_binds_system_id_idx on refused_binds (system_id, hour);
-- The other messages that one answer named (submit_multi).
create index answered_ids_answered_id_idx on answered_ids (answered_id);
