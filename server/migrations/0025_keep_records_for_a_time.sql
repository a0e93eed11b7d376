-- Texts and records are kept for a time only: see docs/decisions/0023.

-- SHA-256 of the sealed bodies, once they are gone: tells whether a copy in some backup is the one that stood here.
alter table record_batches add column bodies_hash bytea;

-- The bodies of batches stored before this are gone.
create table record_retention (
  only_row boolean primary key default true check (only_row),
  bodies_gone_until timestamptz not null default '-infinity'
);
insert into record_retention default values;
