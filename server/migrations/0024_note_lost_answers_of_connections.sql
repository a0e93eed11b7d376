-- What came over one of our own connections, and was stored without an answer that surely arrived, is noted too.
-- Without a reference to the connection: a note may be written after its connection was deleted.

alter table unanswered_records
  alter user_id drop not null,
  add connection_id int,
  add constraint unanswered_records_sender_check check (num_nonnulls(user_id, connection_id) = 1);
create index unanswered_records_connection_idx on unanswered_records (connection_id, at) where connection_id is not null;
