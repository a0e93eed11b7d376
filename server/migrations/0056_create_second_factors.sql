-- The second factor of an account. Kept on the account, too, because each call of staff asks for it.
alter table users add column has_second_factor boolean not null default false;

-- An authenticator app (RFC 6238). One that counts, and one that waits to be confirmed by a code.
create table totp_factors (
  id int generated always as identity primary key,
  user_id int not null references users,
  sealed_secret bytea not null,
  -- The time step of the last code that was taken: a code is good once.
  last_step bigint not null default 0,
  created_at timestamptz not null,
  confirmed_at timestamptz
);
create unique index totp_factors_confirmed on totp_factors (user_id) where confirmed_at is not null;
create unique index totp_factors_waiting on totp_factors (user_id) where confirmed_at is null;

create table passkeys (
  id int generated always as identity primary key,
  user_id int not null references users,
  credential_id bytea not null constraint passkeys_credential_id_key unique,
  -- The account as authenticators know it: random, the same for all its passkeys.
  user_handle bytea not null,
  -- COSE.
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user_id on passkeys (user_id);

-- Hashes of 80 random bits: a slow hash would add nothing.
create table recovery_codes (
  user_id int not null references users,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- What a passkey has to sign next; taken out when it is used.
create table passkey_challenges (
  challenge bytea primary key,
  purpose text not null check (purpose in ('register', 'sign_in', 'confirm')),
  -- Nobody yet at a sign-in.
  user_id int references users,
  user_handle bytea,
  -- Who asked, so that one network cannot fill the table.
  network text not null,
  expires_at timestamptz not null
);
create index passkey_challenges_expires_at on passkey_challenges (expires_at);
create index passkey_challenges_network on passkey_challenges (network);
