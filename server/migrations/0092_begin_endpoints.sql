-- At the end of the log, as everything else that reads it: a transaction that writes no records, such as a long import, or
-- one in another database would have a new endpoint take the records stored since it began.
alter table endpoints alter column since_xid set default log_horizon();
