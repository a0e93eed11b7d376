-- Ways back into an account: a password that must be changed at the next sign-in, and links that are good for one new
-- password.

alter table users
  -- The password was made up by us and read by somebody else: the session may do nothing before it is changed.
  add column must_change_password boolean not null default false,
  -- Since when the address stands: a link by mail goes to none that was put in a moment ago.
  add column email_since timestamptz not null default 'epoch';

create table reset_links (
  id int generated always as identity primary key,
  user_id int not null references users on delete cascade,
  way text not null check (way in ('admin', 'mail')),
  -- The role that it was made for. Whoever is promoted later needs a new link, by the rules of the new role.
  role text not null,
  -- Null for one by mail, which its owner asked for.
  requested_by int references users,
  requested_at timestamptz not null,
  -- For an admin's account, where it takes two.
  approved_by int references users,
  -- SHA-256 of the token: a read of this table opens nothing. Null while it waits for the second admin.
  token_hash bytea unique,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  check ((way = 'mail') = (requested_by is null))
);
create index reset_links_user_id_idx on reset_links (user_id, id desc);

-- Texts that hold a secret, such as a link into an account, wait sealed.
alter table mails add column sealed_body bytea;

-- People may give their e-mail address instead of their username.
create index users_email_lower_idx on users (lower(email));
