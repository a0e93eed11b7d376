-- Whether texts that we send over a connection may use the national language tables of GSM: not every upstream passes
-- their header on, and not every telephone has them.
alter table smpp_connections
  add column use_national_tables boolean not null default false;
