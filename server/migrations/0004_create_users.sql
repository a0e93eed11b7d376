-- Users: accounts, sign-in and its second factor, API keys, SMPP credentials, settings and preferences.

create table users (
  id int generated always as identity primary key,
  username text not null, email text not null,
  -- Since when this address stands: a password link by mail is not sent to an address that was entered a moment ago.
  email_since timestamptz not null default 'epoch',
  first_name text not null, last_name text not null,
  password_hash text not null,
  -- Tollgate made the password up and somebody else read it: the session may do nothing before it is changed.
  must_change_password boolean not null default false,
  -- A copy of what totp_factors and passkeys say, because each call of staff asks for it.
  has_second_factor boolean not null default false,
  role text not null check (role in ('admin', 'support', 'user', 'test')),
  status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
  -- Somebody signed up for it while the setting `registration` was `approval`: inactive until staff decide.
  awaits_approval boolean not null default false,
  -- The SMPP profile of the account. Throughput is messages per second, 0 for no limit; an empty list of networks admits
  -- every address; the window is how many messages of one session may be unanswered.
  smpp_access boolean not null default false,
  max_connections int not null default 5 check (max_connections between 1 and 100),
  throughput int not null default 0 check (throughput >= 0),
  allowed_cidrs text[] not null default '{}',
  smpp_tls_only boolean not null default false,
  smpp_window int not null default 50 check (smpp_window between 1 and 1000),
  -- How the account's data_coding 0 is read.
  smpp_default_alphabet text not null default 'gsm7'
    check (smpp_default_alphabet in ('gsm7', 'packed7', 'latin1', 'ascii', 'utf8')),
  smpp_is_strict boolean not null default true, -- Reserved values and times in the past are refused.
  -- Deliveries that one of its sessions may leave unanswered; smpp_window is the other direction.
  smpp_delivery_window int not null default 50 check (smpp_delivery_window between 1 and 1000),
  smpp_enquire_link_seconds int not null default 30 check (smpp_enquire_link_seconds between 5 and 3600),
  -- Without a message for so long a session ends; 0 is never.
  smpp_inactivity_seconds int not null default 300
    check (smpp_inactivity_seconds = 0 or smpp_inactivity_seconds between 60 and 86400),
  -- How it gets its message ids.
  smpp_message_id_form text not null default 'text' check (smpp_message_id_form in ('text', 'decimal', 'hex')),
  -- The version that it is treated as, or `peer`: the one that it names itself.
  smpp_interface_version text not null default 'peer' check (smpp_interface_version in ('peer', '3.3', '3.4')),
  -- Failed sign-ins since the owner last signed in, and when the owner was last informed of them by mail.
  failed_sign_ins int not null default 0, last_failure_at timestamptz,
  last_failure_ip text,
  failures_notified_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  check (not awaits_approval or status = 'inactive')
);
comment on table users is 'An account: a person or a program, with its role and its SMPP profile. [people]';
-- Usernames are unique whatever their case.
create unique index users_username_key on users (lower(username));
-- People may sign in with their e-mail address.
create index users_email_lower_idx on users (lower(email));
-- Nodes look for changed accounts here when a notification was lost.
create index users_updated_at_idx on users (updated_at);
-- The orders of the list of accounts; each ends with the id.
create index users_created_at_idx on users (created_at desc, id desc);
create index users_role_idx on users (role, id);
create index users_status_idx on users (status, id);
create index users_smpp_access_idx on users ((smpp_access::int), id);
create index users_max_connections_idx on users (max_connections, id);
create index users_awaiting_idx on users (id) where awaits_approval;

-- A username as the eye reads it: characters that look alike become one letter. From Unicode TS 39 those of Cyrillic,
-- Greek and digits that look like Latin. Usernames have at most 64 characters, so this is quick enough for an index.
create function name_skeleton(name text) returns text language sql immutable parallel safe as $$
  select translate(lower(normalize(name, nfkc)),
    '01iıаАвВсСԁԀеЕһҺНніІјЈкКӏӀмМоОрРԛԚѕЅтТуУѵѴԝԜхХαΑΒβεΕΖζΗηιΙκΚΜΝνοΟρΡτΤυΥχΧγωΩ',
    'olllaabbccddeehhhhlljjkkllmmooppqqssttyyvvwwxxaabbeezzhnllkkmnvooppttuyxxyww')
$$;
create index users_name_skeleton_idx on users (name_skeleton(username));

-- What a search for people looks at. Each field follows a line break and a space, so that ' ab' finds how words begin.
create function person_search_text(username text, email text, first_name text, last_name text) returns text
  language sql immutable parallel safe
  return lower(' ' || username || E'\n ' || first_name || ' ' || last_name || E'\n ' || email);
create index users_search_idx on users using gin (person_search_text(username, email, first_name, last_name) gin_trgm_ops)
  with (gin_pending_list_limit = 256);
create statistics users_search_stats on (person_search_text(username, email, first_name, last_name)) from users;
alter statistics users_search_stats set statistics 300;

create table login_sessions (
  id_hash bytea primary key, -- SHA-256 of the cookie's value: who reads this table cannot sign in with it.
  user_id int not null references users on delete cascade,
  created_at timestamptz not null default now(), last_seen_at timestamptz not null default now(),
  authenticated_at timestamptz not null default now(),
  -- Set when the person's role changes: the next GET /api/user answers with a new id.
  is_renewal_due boolean not null default false,
  -- When a replaced id stops working, a moment after its successor was sent; null for one in use.
  ends_at timestamptz,
  ip text not null, user_agent text not null default '',
  -- The failed sign-ins of the account when this session began, to show them to its owner.
  failures_before int not null default 0, last_failure_at timestamptz, last_failure_ip text
);
comment on table login_sessions is 'A browser or program that is signed in. [people]';
create index login_sessions_user_id_idx on login_sessions (user_id);

create table known_devices (
  user_id int not null references users on delete cascade,
  id_hash bytea not null, -- SHA-256 of the device cookie's value.
  created_at timestamptz not null, last_used_at timestamptz not null,
  notified_at timestamptz, -- When the owner was informed of it by mail, or when that turned out to be unnecessary.
  primary key (user_id, id_hash)
);
comment on table known_devices is 'A browser that signed in before. [people]';
create index known_devices_unnotified_idx on known_devices (created_at) where notified_at is null;

create table totp_factors (
  id int generated always as identity primary key,
  user_id int not null references users,
  encrypted_secret bytea not null,
  -- The time step of the last code that was accepted: each code is accepted once.
  last_step bigint not null default 0,
  created_at timestamptz not null, confirmed_at timestamptz
);
comment on table totp_factors is 'An authenticator app (RFC 6238): at most one in force and one that waits to be confirmed by a code. [people]';
create unique index totp_factors_confirmed on totp_factors (user_id) where confirmed_at is not null;
create unique index totp_factors_waiting on totp_factors (user_id) where confirmed_at is null;

create table passkeys (
  id int generated always as identity primary key,
  user_id int not null references users,
  credential_id bytea not null unique,
  user_handle bytea not null, -- The account as authenticators know it: random, the same for all its passkeys.
  public_key bytea not null, -- COSE.
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null, last_used_at timestamptz
);
comment on table passkeys is 'A passkey of an account. [people]';
create index passkeys_user_id on passkeys (user_id);

create table passkey_challenges (
  challenge bytea primary key,
  purpose text not null check (purpose in ('register', 'sign_in', 'confirm')),
  user_id int references users, -- Null at a sign-in, when the account is not known yet.
  user_handle bytea,
  network text not null, -- Where the request came from, so that one network cannot fill the table.
  expires_at timestamptz not null
);
comment on table passkey_challenges is 'Random bytes that a passkey has to sign next, until they are used. [passing]';
create index passkey_challenges_expires_at on passkey_challenges (expires_at);
create index passkey_challenges_network on passkey_challenges (network);

create table recovery_codes (
  user_id int not null references users, code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);
comment on table recovery_codes is 'SHA-256 of a code of 80 random bits: a slow hash would add nothing. [people]';

create table factor_resets (
  user_id int primary key references users,
  requested_by int not null references users, requested_at timestamptz not null,
  check (requested_by <> user_id)
);
comment on table factor_resets is 'An admin''s request to remove the second factor of another admin; a third admin approves it by the same call. [people]';

create table reset_links (
  id int generated always as identity primary key,
  user_id int not null references users on delete cascade,
  way text not null check (way in ('admin', 'mail', 'invitation')),
  -- The role that the link was made for. An account that was promoted since needs a new link by the rules of its new role.
  role text not null,
  requested_by int references users, -- Null for a link by mail, which the owner requested.
  requested_at timestamptz not null,
  approved_by int references users, -- The second admin, where the account is an admin's.
  -- SHA-256 of the token: who reads this table can open nothing. Null while the link waits for the second admin.
  token_hash bytea unique,
  expires_at timestamptz not null, used_at timestamptz, revoked_at timestamptz,
  check ((way = 'mail') = (requested_by is null))
);
comment on table reset_links is 'A link that is good for setting one new password. [acts]';
create index reset_links_user_id_idx on reset_links (user_id, id desc);

create table api_keys (
  id text primary key,
  user_id int not null references users on delete cascade, name text not null default '',
  prefix text not null,
  key_hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null default now(), last_used_at timestamptz, last_used_ip text,
  last_used_agent text
);
comment on table api_keys is 'A key by which a program calls the API for its account. [people]';
create index api_keys_user_id_idx on api_keys (user_id);

create table smpp_credentials (
  user_id int primary key references users on delete cascade,
  system_id text not null unique check (length(system_id) between 1 and 15),
  -- Chosen by staff: a new password leaves the system id as it is.
  is_system_id_chosen boolean not null default false,
  -- Those that the account had before: records name their supplier by it, so no other account is ever given one.
  former_system_ids text[] not null default '{}',
  encrypted_password bytea not null, -- Encrypted, not hashed: it must be shown again.
  updated_at timestamptz not null default now()
);
comment on table smpp_credentials is 'The system id and the password of an account. [people]';

-- The search of the whole console finds a system id from its first characters.
create index smpp_credentials_prefix_idx on smpp_credentials (lower(system_id) text_pattern_ops);

create table settings (
  key text primary key, value text not null,
  updated_at timestamptz not null default now(), updated_by int references users
);
comment on table settings is 'The value of a setting that is not at its default. [settings]';

create table setting_changes (
  id bigint generated always as identity primary key,
  key text not null, value text not null,
  status text not null default 'pending' check (status in ('pending', 'begun', 'cancelled')),
  requested_by int not null references users, requested_at timestamptz not null,
  -- The earliest time at which it begins once it is approved, and the time at which it begins where nobody can approve it.
  begins_at timestamptz not null,
  begins_alone_at timestamptz not null,
  approved_by int references users, approved_at timestamptz,
  ended_by int references users, -- Null with a time: the gateway ended it.
  ended_at timestamptz,
  check ((approved_by is null) = (approved_at is null)), check (approved_by <> requested_by),
  check ((status = 'pending') = (ended_at is null))
);
comment on table setting_changes is 'A change of a setting that waits for a second admin, or has ended: at most one waits for each setting. [acts]';
create unique index setting_changes_pending_key on setting_changes (key) where status = 'pending';

create table preferences (
  user_id int primary key references users on delete cascade,
  language text not null default 'en', time_zone text not null default 'UTC',
  number_format text not null default 'comma',
  theme text not null default 'system', density text not null default 'normal',
  muted_mails text[] not null default '{}'
);
comment on table preferences is 'What a person chooses for the console, and which mails that person does without. No row is all defaults. [people]';

create table screen_settings (
  user_id int not null references users on delete cascade, name text not null,
  value text not null,
  primary key (user_id, name)
);
comment on table screen_settings is 'A setting of one screen: a saved view, columns, what was dismissed. JSON text that only the console reads. [people]';

-- Whether a person gets mails of this kind.
create function wants_mail(person int, kind text) returns boolean language sql stable as $$
  select not exists (select from preferences where user_id = person and kind = any(muted_mails))
$$;

-- Kept for a day, written in the transaction that did the work. Written by http; it stands here as it refers to users.
create table idempotency_keys (
  user_id int not null references users on delete cascade, key text not null,
  -- With the hash of the call: one key is for one call. Encrypted, because some answers contain a secret that is shown once,
  -- and some calls a password. Null only inside the transaction that does the work.
  encrypted_answer bytea,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
comment on table idempotency_keys is 'The answer to a call with an Idempotency-Key. [passing]';
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

-- Kept for a week, to be undone as one. Written by http; the tables stand here because they refer to users.
create table bulk_changes (
  id bigint generated always as identity primary key,
  kind text not null, -- What was changed: number.status, range.status, user.status and so on.
  user_id int not null references users,
  made_at timestamptz not null, undone_at timestamptz
);
comment on table bulk_changes is 'One act on many rows. [passing]';
create index bulk_changes_made_at on bulk_changes (made_at);

create table bulk_change_rows (
  change_id bigint not null references bulk_changes on delete cascade, object_id bigint not null,
  before text not null,
  mark text not null, -- Of the row after the change: undoing leaves alone what was changed since.
  primary key (change_id, object_id)
);
comment on table bulk_change_rows is 'One row of such an act, as it was before. [passing]';
