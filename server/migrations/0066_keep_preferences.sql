-- What each person chooses for the console, and which mails they do without. No row is all defaults.
create table preferences (
  user_id int primary key references users on delete cascade,
  language text not null default 'en',
  time_zone text not null default 'UTC',
  number_format text not null default 'comma',
  theme text not null default 'system',
  density text not null default 'normal',
  muted_mails text[] not null default '{}'
);

-- Settings of single screens: saved views, columns, what was dismissed. JSON text that only the console reads.
create table screen_settings (
  user_id int not null references users on delete cascade,
  name text not null,
  value text not null,
  primary key (user_id, name)
);

-- Whether a person gets mails of this kind.
create function wants_mail(person int, kind text) returns boolean language sql stable as $$
  select not exists (select from preferences where user_id = person and kind = any(muted_mails))
$$;
