-- What the peers of a batch call their messages, kept as long as its records (decision 80): the forms of the ids that they
-- were answered with, and their user_message_references. Null in batches of the version before, which have both with the
-- texts alone.
alter table record_batches add column peer_ids bytea;

-- The ids of submit_multi go with their records, not after 30 days, so nobody looks for them by their age any more.
drop index answered_ids_created_at_idx;
