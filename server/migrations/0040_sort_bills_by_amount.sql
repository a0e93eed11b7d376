-- Staff sort years of bills and payments by amount or count: the page comes from an index instead of a sort of them all.
-- The second column is the key that a page goes on from.
create index billing_periods_total_idx on billing_periods (total_micro, (cycle_id::bigint * 2147483648 + user_id));
create index billing_periods_count_idx on billing_periods (sms_count, (cycle_id::bigint * 2147483648 + user_id));
create index payments_amount_idx on payments (amount_micro, id);
