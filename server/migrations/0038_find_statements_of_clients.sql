-- A client's own statements, for the periods in its history that came to no bill.
create index statements_user_idx on statements (user_id, cycle_id);
