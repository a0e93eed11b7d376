-- The audit entries of one change of many rows.
create index audit_entries_change_idx on audit_entries ((after ->> 'change'), id) where after ? 'change';
