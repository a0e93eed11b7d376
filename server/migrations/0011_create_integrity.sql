-- Integrity: records that are held from billing until a person has looked at them.

create table holds (
  id bigint generated always as identity primary key,
  user_id int not null references users, number_id int not null references numbers,
  case_id bigint, -- Of a case: one hold for each number.
  -- Why: the rule's name, and one sentence for the person who reviews it.
  rule text not null, explanation text not null,
  words jsonb, -- The same as template and values, so that each person reads it in the own language.
  score int not null,
  -- Sums over its records, as they were stored.
  amount_micro bigint not null check (amount_micro >= 0),
  record_count int not null check (record_count > 0),
  -- open: waits; released: its amount counts again; confirmed: it is never paid.
  status text not null default 'open' check (status in ('open', 'released', 'confirmed')),
  -- Above the limit it takes two persons: what the first one requested.
  requested_action text check (requested_action in ('release', 'confirm')),
  requested_by int references users, requested_at timestamptz,
  requested_reason text not null default '',
  decided_by int references users, decided_at timestamptz,
  -- The cycle that was open at the decision. Its statement and the lines of its bill name the messages.
  decided_cycle_id int references cycles,
  decision_reason text not null default '',
  -- Decided, and some of its records wait for their turn: many are moved in slices.
  is_moving boolean not null default false,
  created_at timestamptz not null,
  check ((requested_action is null) = (requested_by is null)),
  check ((status = 'open') = (decided_at is null))
);
comment on table holds is 'Records of a client that are not billed until a person has looked at them. [money]';
create index holds_open_idx on holds (id desc) where status = 'open';
create index holds_user_idx on holds (user_id, id desc);
create index holds_number_idx on holds (number_id, id desc);
create index holds_moving_idx on holds (id) where is_moving;
create unique index holds_case_key on holds (case_id, number_id) where case_id is not null;

create table hold_records (
  record_id bigint primary key, record_created_at timestamptz not null,
  hold_id bigint not null references holds, user_id int not null, number_id int not null,
  rate_id int,
  cycle_id int not null, settlement smallint not null, -- The cycle it settles in, and how.
  amount_micro bigint not null,
  -- Held after the bill or payout was made: a credit note took it off, and it is in their lines.
  is_billed boolean not null default false,
  -- From when on its client may know of it. At once it would tell whoever tries numbers what is found.
  told_from timestamptz not null default '-infinity',
  -- What became of its amount, and in which open cycle; null while it is held.
  outcome text check (outcome in ('released', 'confirmed')),
  decided_cycle_id int,
  check ((outcome is null) = (decided_cycle_id is null))
);
comment on table hold_records is 'A held record. A record is held once at most; a decision is final. [money]';
create index hold_records_hold_idx on hold_records (hold_id, record_created_at, record_id);
create index hold_records_undecided_idx on hold_records (hold_id, record_created_at, record_id) where outcome is null;
create index hold_records_cycle_idx on hold_records (cycle_id, user_id, record_created_at, record_id);
create index hold_records_decided_idx on hold_records (decided_cycle_id, user_id, outcome, record_created_at, record_id)
  where outcome is not null;

-- A client is told of what a case holds from 06:00 UTC of the next day on.
create function is_told(told_from timestamptz) returns boolean language sql stable return told_from <= now();
create function next_morning(held_at timestamptz) returns timestamptz language sql stable
  return date_trunc('day', held_at, 'UTC') + interval '30 hours';

-- Sums over held records, so that nothing that shows or bills them grows with their number. Kept by triggers.
create table hold_sums (
  cycle_id int not null, user_id int not null, number_id int not null,
  rate_id int not null, -- 0: no rate.
  settlement smallint not null,
  told_from timestamptz not null, -- As of the records.
  -- What bill and payout of the cycle leave out: held before they were made, and not released in the cycle itself.
  record_count bigint not null, amount_micro bigint not null,
  open_count bigint not null, open_micro bigint not null, -- What is held now.
  primary key (cycle_id, user_id, number_id, rate_id, settlement, told_from)
) with (fillfactor = 70);
comment on table hold_sums is 'What is held, by cycle, client, number and rate, and by when its client is told. [money]';
create index hold_sums_open_idx on hold_sums (user_id) where open_count > 0;

-- Sums over decided records, for the lines of the period in which they were decided. Kept by a trigger.
create table decided_sums (
  decided_cycle_id int not null, user_id int not null,
  outcome text not null,
  cycle_id int not null, -- The cycle of the records.
  number_id int not null,
  rate_id int not null, -- 0: no rate.
  told_from timestamptz not null,
  record_count bigint not null, amount_micro bigint not null,
  primary key (decided_cycle_id, user_id, outcome, cycle_id, number_id, rate_id, told_from)
) with (fillfactor = 70);
comment on table decided_sums is 'What was released or refused, by the cycle of the decision, client, number and rate. [money]';

create function add_hold_sums() returns trigger language plpgsql as $$
begin
  insert into hold_sums as kept
  select cycle_id, user_id, number_id, coalesce(rate_id, 0), settlement, told_from,
    count(*) filter (where not is_billed), coalesce(sum(amount_micro) filter (where not is_billed), 0),
    count(*), sum(amount_micro)
  from added group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (cycle_id, user_id, number_id, rate_id, settlement, told_from) do update set
    record_count = kept.record_count + excluded.record_count, amount_micro = kept.amount_micro + excluded.amount_micro,
    open_count = kept.open_count + excluded.open_count, open_micro = kept.open_micro + excluded.open_micro;
  return null;
end $$;
create trigger hold_records_add_sums after insert on hold_records
  referencing new table as added for each statement execute function add_hold_sums();

-- The only change of a held record is its outcome, once.
create function take_hold_sums() returns trigger language plpgsql as $$
begin
  if exists (select from before where outcome is not null) then
    raise exception 'a held record has its outcome already' using errcode = 'check_violation';
  end if;
  insert into hold_sums as kept
  select cycle_id, user_id, number_id, coalesce(rate_id, 0), settlement, told_from,
    -count(*) filter (where is_own), -coalesce(sum(amount_micro) filter (where is_own), 0), -count(*), -sum(amount_micro)
  from (select *, not is_billed and outcome = 'released' and decided_cycle_id = cycle_id as is_own from after) decided
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (cycle_id, user_id, number_id, rate_id, settlement, told_from) do update set
    record_count = kept.record_count + excluded.record_count, amount_micro = kept.amount_micro + excluded.amount_micro,
    open_count = kept.open_count + excluded.open_count, open_micro = kept.open_micro + excluded.open_micro;
  insert into decided_sums as kept
  select decided_cycle_id, user_id, outcome, cycle_id, number_id, coalesce(rate_id, 0), told_from, count(*), sum(amount_micro)
  from after group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (decided_cycle_id, user_id, outcome, cycle_id, number_id, rate_id, told_from) do update set
    record_count = kept.record_count + excluded.record_count, amount_micro = kept.amount_micro + excluded.amount_micro;
  return null;
end $$;
create trigger hold_records_take_sums after update on hold_records
  referencing old table as before new table as after for each statement execute function take_hold_sums();

-- Who writes to which number on which day, in UTC days of message time. A follower of the log keeps it: it only adds, ors,
-- and takes the least and the greatest, so the order of messages does not matter. Without test messages, acknowledgements,
-- and messages by which nobody earns.
create table sender_days (
  client_id int not null, day date not null,
  number_id int not null, sender text not null,
  message_count int not null, amount_micro bigint not null,
  slots bit(144) not null, -- The ten minutes of the day in which it wrote, from the left.
  first_at timestamptz not null, last_at timestamptz not null,
  -- So that the clients that one sender writes to stand together.
  primary key (sender, day, client_id, number_id)
) with (fillfactor = 80);
-- A client's day, which is judged as a whole: rows of one key are a few bytes each.
create index sender_days_client_idx on sender_days (client_id, day);
-- What is forgotten, without reading what stays.
create index sender_days_day_idx on sender_days using brin (day);

-- The blocks that any sender here belongs to: a telephone number without its last four digits.
create table sender_blocks (
  block text primary key,
  first_day date not null, last_day date not null
) with (fillfactor = 70);

-- A client's day: what is still to be judged of it, and what was usual on it.
create table client_days (
  client_id int not null, day date not null,
  message_count bigint not null,
  -- How many of its messages the last judgement saw, and when it was.
  judged_count bigint not null default 0, judged_at timestamptz,
  usual jsonb, -- Frozen two days later, without the senders of holds; null before.
  primary key (client_id, day)
) with (fillfactor = 70);
create index client_days_due_idx on client_days (day, client_id) where usual is null or message_count > judged_count;

-- Thresholds of the rules, as a whole. A version is never edited; the setting integrity_version says which one is live.
create table integrity_versions (
  id int generated always as identity primary key,
  parameters jsonb not null,
  note text not null,
  made_by int references users, -- Null for the gateway's own.
  made_at timestamptz not null default now()
);
create trigger integrity_versions_append_only before update or delete on integrity_versions execute function refuse_change();

-- When which version came into force.
create table integrity_version_starts (
  version_id int not null references integrity_versions, live_from timestamptz not null,
  requested_by int references users,
  approved_by int references users -- The second person, where it was looser than the one before.
);
create index integrity_version_starts_version_idx on integrity_version_starts (version_id, live_from);
create trigger integrity_version_starts_append_only before update or delete on integrity_version_starts execute function refuse_change();
insert into integrity_versions (note, parameters) values ('As installed', '{
    "block": {"slots": 40, "timesUsual": 3, "timesToday": 4, "sendersMin": 4, "slotsOfSenderMax": 12},
    "paced": {"senders": 8, "timesUsual": 3, "plus": 3, "slots": 5, "hours": 4},
    "neighbours": {"senders": 40, "pairShare": 0.3, "timesUsual": 2.5},
    "madeUp": {"senders": 100, "voteHours": 1, "timesUsual": 4, "strangeShare": 0.1, "timesStrange": 3},
    "clockwork": {"senders": 30, "seconds": 180, "share": 0.5},
    "across": {"clients": 5, "messages": 6},
    "newcomer": {"share": 0.5, "topSenders": 20, "messages": 200, "days": 7, "ageDays": 30, "messagesOfSender": 3},
    "list": {"messages": 1}
  }');

create table integrity_cases (
  id bigint generated always as identity primary key,
  rule text not null,
  version_id int not null references integrity_versions, -- The thresholds by which its figures were found.
  client_id int not null references users,
  subject text not null, -- What the rule looked at: a block, a number; empty for the client as a whole.
  day date not null,
  level text not null check (level in ('flag', 'hold')), -- flag: half of what a hold needs, listed only.
  -- dry: nothing is held, in a dry run or for a flag; open: its messages are held until somebody decides.
  state text not null default 'dry' check (state in ('dry', 'open', 'released', 'confirmed')),
  from_day date not null, -- The earliest day whose messages of these senders it would hold.
  -- What was found and what it was compared with, and the same as sentences.
  facts jsonb not null, words jsonb not null,
  -- Of all messages of its senders from from_day to day, at the last judgement.
  sender_count int not null, message_count bigint not null, amount_micro bigint not null,
  first_at timestamptz not null, created_at timestamptz not null,
  -- Messages of its senders from this time on are still to be looked at, the newest first; null: all are.
  apply_from timestamptz,
  apply_to_at timestamptz, apply_to_id bigint, -- Down to which message that is done; null: not begun.
  -- From when on it takes off bills and payouts that are due: their client sees it at once. Nothing is paid to the client
  -- before. Null: there is nothing to take off.
  billed_from timestamptz,
  -- It is time: this walk through its messages takes those on bills, too. So does each of a dispute, which no rule found.
  takes_billed boolean not null default false,
  -- What it holds, and what was paid or on its way when it was to be held.
  held_count bigint not null default 0, held_micro bigint not null default 0,
  late_count bigint not null default 0, late_micro bigint not null default 0,
  owner_id int references users,
  due_at timestamptz, -- When people are reminded of it.
  -- Above the limit it takes two persons: what the first one requested.
  requested_action text check (requested_action in ('release', 'confirm')),
  requested_by int references users, requested_at timestamptz,
  requested_reason text not null default '',
  decided_by int references users, decided_at timestamptz, decision_reason text not null default '',
  -- Until then its rule does not hold again what this case looked at, or its senders: who released it said so.
  remembered_until timestamptz check (remembered_until is null or state = 'released'),
  unique (rule, client_id, subject, day),
  check (apply_from is null and billed_from is null or state = 'open'),
  check ((requested_action is null) = (requested_by is null)),
  check ((state in ('released', 'confirmed')) = (decided_at is not null))
);
create index integrity_cases_open_idx on integrity_cases (client_id) where state = 'open';
create index integrity_cases_apply_idx on integrity_cases (id) where apply_from is not null or billed_from is not null;
create index integrity_cases_decided_idx on integrity_cases (decided_at) where decided_at is not null;
create index integrity_cases_remembered_idx on integrity_cases (client_id) where remembered_until is not null;

alter table holds add foreign key (case_id) references integrity_cases;
create index integrity_cases_client_idx on integrity_cases (client_id, day);

-- A version tried on days that are over. A job judges them one by one and writes no case.
create table back_tests (
  id bigint generated always as identity primary key,
  version_id int not null references integrity_versions,
  from_day date not null,
  until_day date not null check (until_day >= from_day),
  made_by int not null references users, made_at timestamptz not null,
  judged_day date, judged_client int, -- Clients' days up to this one are judged; null before the first.
  done_at timestamptz
);
create index back_tests_waiting_idx on back_tests (id) where done_at is null;

-- The senders that a back-test would have held, until its sums are made.
create table back_test_senders (
  back_test_id bigint not null references back_tests on delete cascade, client_id int not null,
  rule text not null, sender text not null,
  from_day date not null, until_day date not null,
  primary key (back_test_id, client_id, rule, sender, until_day)
);

create table back_test_sums (
  back_test_id bigint not null references back_tests on delete cascade, client_id int not null,
  rule text not null, -- Empty for all rules together: a message that several name counts once.
  sender_count bigint not null, message_count bigint not null,
  amount_micro bigint not null,
  earned_micro bigint not null, -- All that the client earned on these days.
  -- Of the messages, what people have refused and released.
  refused_micro bigint not null, released_micro bigint not null,
  primary key (back_test_id, client_id, rule)
);

create table integrity_members (
  case_id bigint not null references integrity_cases on delete cascade, sender text not null,
  primary key (case_id, sender)
);
-- Where one sender is named, when he asks for what is stored of him.
create index integrity_members_sender_idx on integrity_members (sender);

-- The hot list. An entry is ended and never deleted before its cases are, so that it can be told why they stand.
create table listed_senders (
  id bigint generated always as identity primary key,
  sender text not null, -- A sender, or the block of a telephone number: its digits without the last four.
  is_block boolean not null,
  reason text not null,
  until_day date, -- The last day of messages that it names, in UTC; null: until somebody removes it.
  listed_by int not null references users, listed_at timestamptz not null,
  removed_by int references users, removed_at timestamptz, removal_reason text not null default '',
  check ((removed_by is null) = (removed_at is null))
);
create unique index listed_senders_sender_idx on listed_senders (sender, is_block) where removed_at is null;

-- What a carrier does not pay for, as it says in a file. A job looks for its messages, an hour of them at a time.
create table carrier_disputes (
  id bigint generated always as identity primary key,
  carrier text not null, file_name text not null,
  made_by int not null references users, made_at timestamptz not null,
  matched_until timestamptz not null, -- Messages before it are matched.
  matched_at timestamptz, -- Null while it is being matched.
  opened_by int references users, opened_at timestamptz,
  -- The corrections that were proposed for what is paid: of each client's id the adjustment's.
  corrections jsonb not null default '{}'
);
create index carrier_disputes_waiting_idx on carrier_disputes (id) where matched_at is null;

create table carrier_dispute_lines (
  dispute_id bigint not null references carrier_disputes on delete cascade,
  line int not null, -- As a text editor counts the lines of the file.
  number text not null,
  sender text not null, -- Empty for all senders.
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  -- Of the file; null where it does not say it. The amount is in the carrier's money.
  claimed_count bigint, claimed_micro bigint,
  -- Found here; of them, those that another line had named before.
  matched_count bigint not null default 0, matched_micro bigint not null default 0,
  twice_count bigint not null default 0,
  primary key (dispute_id, line)
);
create index carrier_dispute_lines_sender_idx on carrier_dispute_lines (sender);

-- A message that a carrier disputes: it belongs to the first line that names it.
create table disputed_records (
  record_id bigint primary key, record_created_at timestamptz not null,
  dispute_id bigint not null, line int not null,
  client_id int, -- Null when nobody earns by it.
  number_id int not null, sender text not null,
  cycle_id int not null, settlement smallint not null,
  amount_micro bigint not null,
  foreign key (dispute_id, line) references carrier_dispute_lines on delete cascade
);
create index disputed_records_dispute_idx on disputed_records (dispute_id, client_id);
create index disputed_records_sender_idx on disputed_records (sender);

comment on table sender_days is 'A sender of messages to one number of a client on one day. [traffic]';
comment on table sender_blocks is 'A block of numbers that senders belong to, with the days of its first and last message. [traffic]';
comment on table client_days is 'A day of a client: what of it is judged, and what was usual on it. [traffic]';
comment on table integrity_versions is 'Thresholds of the rules, a row for each version. [acts]';
comment on table integrity_version_starts is 'When a version of the thresholds came into force. [acts]';
comment on table integrity_cases is 'What a rule found at a client on one day. [traffic]';
comment on table integrity_members is 'A sender that a case names. [traffic]';
comment on table listed_senders is 'A sender, or a block of senders, that somebody put on the hot list. [traffic]';
comment on table carrier_disputes is 'A file of messages that a carrier does not pay for. [money]';
comment on table carrier_dispute_lines is 'A line of such a file, and what was found for it. [money]';
comment on table disputed_records is 'A message that a carrier disputes. [money]';
comment on table back_tests is 'A version of the thresholds, tried on days that are over. [acts]';
comment on table back_test_senders is 'A sender that a back-test under way would have held. [passing]';
comment on table back_test_sums is 'What a back-test would have held of a client, by rule. [traffic]';
