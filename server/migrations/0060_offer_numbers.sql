-- The numbers that clients may search: available ones with a price of their own. An import brings none of them.
create index numbers_offered_idx on numbers (price_micro, id)
  where deleted_at is null and status = 'active' and holder_id is null and price_micro is not null;
-- How many numbers a client took of late.
create index number_holders_taken_idx on number_holders (user_id, created_at) where assigned_by = user_id;
