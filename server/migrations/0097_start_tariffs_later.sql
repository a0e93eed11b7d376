-- A tariff of a range that starts later: at most one waits. Pricing takes it from its start on, also before it has become
-- tariff_micro, so a message costs what was in force at its own time on every node. The audit log keeps who set what.
alter table ranges
  add column next_tariff_micro bigint check (next_tariff_micro >= 0),
  add column next_tariff_from timestamptz,
  add column next_tariff_set_by int references users,
  -- What held until tariff_from, for records that come late. Null: the present tariff has no start.
  add column earlier_tariff_micro bigint check (earlier_tariff_micro >= 0),
  add column tariff_from timestamptz,
  add check (num_nulls(next_tariff_micro, next_tariff_from, next_tariff_set_by) in (0, 3)),
  add check (num_nulls(earlier_tariff_micro, tariff_from) in (0, 2));
create index ranges_next_tariff_from_idx on ranges (next_tariff_from) where next_tariff_from is not null;
