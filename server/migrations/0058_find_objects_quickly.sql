-- The search of the whole console looks each kind of object up by an index. Each field follows a line break and a space, so
-- that ' ab' finds how words begin.
create function person_search_text(username text, email text, first_name text, last_name text) returns text
  language sql immutable parallel safe
  return lower(' ' || username || E'\n ' || first_name || ' ' || last_name || E'\n ' || email);
create index users_search_idx on users using gin (person_search_text(username, email, first_name, last_name) gin_trgm_ops)
  with (gin_pending_list_limit = 256);
create statistics users_search_stats on (person_search_text(username, email, first_name, last_name)) from users;
alter statistics users_search_stats set statistics 300;

create function range_search_text(range_number text, description text, start_number text, end_number text) returns text
  language sql immutable parallel safe
  return lower(' ' || range_number || E'\n ' || description || E'\n ' || start_number || E'\n ' || end_number);
create index ranges_search_idx on ranges
  using gin (range_search_text(range_number, description, start_number, end_number) gin_trgm_ops)
  with (gin_pending_list_limit = 256) where deleted_at is null;
create statistics ranges_search_stats on (range_search_text(range_number, description, start_number, end_number)) from ranges;
alter statistics ranges_search_stats set statistics 300;

-- From the first characters of a hash, a paper's number or a system_id.
create index payments_hash_prefix_idx on payments (transaction_hash text_pattern_ops) where transaction_hash is not null;
create index papers_number_prefix_idx on papers (lower(number) text_pattern_ops);
create index smpp_credentials_prefix_idx on smpp_credentials (lower(system_id) text_pattern_ops);

-- A client's holds, and those on one number, newest first.
create index holds_number_idx on holds (number_id, id desc);
