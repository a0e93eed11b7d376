-- The flight recorder: the last PDUs of the links it is switched on for, decoded, without texts and passwords.

-- A link is `bind-<user>` or `connection-<id>`.
create table flight_switches (
  link text primary key,
  on_until timestamptz not null
);

-- A window on what happens now, worth nothing after a crash.
create unlogged table flight_pdus (
  id bigint generated always as identity primary key,
  link text not null,
  -- Tells sessions of one link apart.
  session text not null,
  at timestamptz not null,
  direction text not null check (direction in ('in', 'out')),
  command text not null,
  status int not null,
  sequence bigint not null,
  octets int not null,
  message_id text not null default '',
  fields jsonb not null
);
create index flight_pdus_link_idx on flight_pdus (link, id);
create index flight_pdus_answer_idx on flight_pdus (session, sequence, id);
