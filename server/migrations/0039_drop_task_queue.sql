-- The queue of a job library that nothing was ever put into. Recurring work runs under leases.
drop schema if exists graphile_worker cascade;
