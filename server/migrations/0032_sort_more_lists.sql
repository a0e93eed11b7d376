-- Sorts that lists had no index for; each ends with the id, as the others (docs/decisions/0022).
create index numbers_operator_idx on numbers (operator, id) where deleted_at is null;
create index users_smpp_access_idx on users ((smpp_access::int), id);
create index users_max_connections_idx on users (max_connections, id);
create index audit_entries_actor_name_idx on audit_entries (actor, id);
-- Both ways, where the one before it served a filter alone, newest first.
drop index audit_entries_action_idx;
create index audit_entries_action_idx on audit_entries (action, id);
