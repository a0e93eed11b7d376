-- Where an account has bound from with its password. Whoever guesses at it elsewhere does not slow it down there.
create table known_bind_origins (
  user_id int not null references users on delete cascade,
  -- An IPv4 address, or the /64 of an IPv6 one.
  address text not null,
  last_bound_at timestamptz not null default clock_timestamp(),
  primary key (user_id, address)
);
-- Nodes look for what others have added, and the oldest are forgotten.
create index known_bind_origins_last_bound_at_idx on known_bind_origins (last_bound_at);
