-- Browsers that signed in before, failed sign-ins as their owner is told of them, and new accounts counted by network.

create table known_devices (
  user_id int not null references users on delete cascade,
  -- SHA-256 of the device cookie's value.
  id_hash bytea not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- When the owner was told of it by mail, or when nobody needed to be.
  told_at timestamptz,
  primary key (user_id, id_hash)
);
create index known_devices_untold_idx on known_devices (created_at) where told_at is null;

-- Failed sign-ins of an account since its owner last signed in.
create table account_failures (
  user_id int primary key references users on delete cascade,
  count int not null,
  last_at timestamptz not null,
  last_ip text not null,
  -- When the owner was last told by mail.
  told_at timestamptz
);

alter table login_sessions
  -- What account_failures held when this session began, for its owner to see.
  add column failures_before int not null default 0,
  add column last_failure_at timestamptz,
  add column last_failure_ip text;

alter table api_keys add column last_used_ip text, add column last_used_agent text;

-- New accounts that people made for themselves.
create table sign_ups (
  network text not null,
  made_at timestamptz not null
);
create index sign_ups_network_idx on sign_ups (network, made_at);

-- A username as the eye reads it: what may be taken for one another becomes one letter. Unicode TS 39, of its confusables
-- those of Cyrillic, Greek and digits with Latin. Usernames are at most 64 characters, so this is quick enough for an index.
create function name_skeleton(name text) returns text language sql immutable parallel safe as $$
  select translate(lower(normalize(name, nfkc)),
    '01iıаАвВсСԁԀеЕһҺНніІјЈкКӏӀмМоОрРԛԚѕЅтТуУѵѴԝԜхХαΑΒβεΕΖζΗηιΙκΚΜΝνοΟρΡτΤυΥχΧγωΩ',
    'olllaabbccddeehhhhlljjkkllmmooppqqssttyyvvwwxxaabbeezzhnllkkmnvooppttuyxxyww')
$$;
create index users_name_skeleton_idx on users (name_skeleton(username));
