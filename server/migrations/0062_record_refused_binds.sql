-- The flight recorder keeps the PDUs of refused binds without being switched on: their link is `refused-<system_id>`, and
-- they are also found by the peer's address.
alter table flight_pdus add column address text not null default '';
create index flight_pdus_address_idx on flight_pdus (address, id) where address <> '';
