-- What a reader of the log may want of a batch, so that it need not look at the records of those that hold nothing for
-- it: the bits that any of its records has, and the clients who have one. Null: not noted, so the records are looked at.
alter table record_batches
  add column record_flags smallint,
  add column client_ids int[];
