-- The transaction that ended a long message: its place in the log, for programs that poll. Null while it is open, and for
-- messages that ended before this column was there.
alter table long_messages add column ended_xid xid8;
create index long_messages_log_idx on long_messages (ended_xid, id) where ended_xid is not null;
create index long_messages_client_log_idx on long_messages (client_id, ended_xid, id) where ended_xid is not null;
