-- Rates: every price that a message can get, with its start.

-- The number's own rate counts first, then the user's, then the global one. A null rate ends the scope's own price.
create table rates (
  id int generated always as identity primary key,
  scope text not null check (scope in ('global', 'user', 'number')),
  user_id int references users, number_id int references numbers,
  rate_micro bigint check (rate_micro > 0), -- USD per SMS.
  valid_from timestamptz not null, set_by int references users,
  created_at timestamptz not null default now(),
  check ((scope = 'user') = (user_id is not null)),
  check ((scope = 'number') = (number_id is not null)),
  check (scope <> 'global' or rate_micro is not null)
);
comment on table rates is 'A price with its start. [acts]';
create index rates_user_id_idx on rates (user_id, valid_from desc) where scope = 'user';
create index rates_number_id_idx on rates (number_id, valid_from desc) where scope = 'number';
create index rates_global_idx on rates (valid_from desc) where scope = 'global';
create trigger rates_append_only before update or delete on rates execute function refuse_change();

-- Spec §9: the default global rate is 0.05 USD per SMS.
insert into rates (scope, rate_micro, valid_from) values ('global', 50000, '1970-01-01T00:00:00Z');

-- A row goes when its rate has started or was cancelled; the audit log keeps both.
create table scheduled_rates (
  id int generated always as identity primary key,
  -- Whose it is: a client's, a number's own price, or neither for the global rate.
  user_id int references users on delete cascade,
  number_id int references numbers on delete cascade,
  rate_micro bigint check (rate_micro > 0), -- USD per SMS; null ends the client's own rate or the number's own price.
  starts_at timestamptz not null, set_by int not null references users,
  created_at timestamptz not null default now(),
  unique nulls not distinct (user_id, number_id),
  check (num_nonnulls(user_id, number_id) <= 1),
  check (num_nonnulls(user_id, number_id) = 1 or rate_micro is not null)
);
comment on table scheduled_rates is 'A rate that starts later: at most one for each client, each number and one for all. [passing]';
create index scheduled_rates_number_id_idx on scheduled_rates (number_id) where number_id is not null;
create index scheduled_rates_starts_at_idx on scheduled_rates (starts_at);

-- The newest row of a client is in force. A client without one has the terms that the settings give.
create table client_terms (
  id bigint generated always as identity primary key,
  user_id int not null references users,
  numbers_max int check (numbers_max >= 0), -- Null: as many as there are.
  sms_per_day_max bigint check (sms_per_day_max >= 0),
  value_per_cycle_max_micro bigint check (value_per_cycle_max_micro >= 0), -- Of one cycle, in millionths of a USDT.
  payable_after_days int not null check (payable_after_days between 0 and 365),
  -- Which part of what a cycle earned is kept, and for how long.
  reserve_percent int not null check (reserve_percent between 0 and 100),
  reserve_days int not null check (reserve_days between 1 and 730),
  set_by int references users,
  approved_by int references users, -- Who agreed, where the terms were loosened.
  begins_at timestamptz not null
);
comment on table client_terms is 'The terms of a client from a time on, set by people. [acts]';
create index client_terms_user_idx on client_terms (user_id, id desc);
create trigger client_terms_append_only before update or delete on client_terms execute function refuse_change();
