-- What an account's SMPP sessions are held to, besides max_connections, throughput and allowed_cidrs, and whose word its
-- system_id is.
alter table users
  add column smpp_tls_only boolean not null default false,
  -- Messages of one session that may be unanswered.
  add column smpp_window int not null default 50 check (smpp_window between 1 and 1000);
-- Chosen by staff: a new password leaves it as it is.
alter table smpp_credentials add column is_system_id_chosen boolean not null default false;

-- System ids that accounts had before. Records name their supplier by it, so nobody else is ever given one.
create table former_system_ids (
  system_id text primary key,
  user_id int not null references users on delete cascade
);
