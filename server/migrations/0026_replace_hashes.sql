-- A mistyped transaction hash is replaced by a new payment of the same bill or payout. The one with the old hash stays, and is
-- looked up as before, so that a transfer which turns up under it is booked.
alter table payments
  -- The payment that took its place.
  add replaced_with bigint references payments,
  add check (replaced_with <> id);
create unique index payments_replaced_with_key on payments (replaced_with) where replaced_with is not null;
